/**
 * The folder of one execution, outside every work tree, readable by its owner alone: who holds it,
 * its grant, containment records, journal, turn files, seal. It outlives the host, and everything
 * that must be known after the host's death is read from here.
 */
import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Holder } from '../domain/execution/state.ts';
import type { ExecutionId } from '../domain/ids.ts';
import { invariant } from '../kernel/invariant.ts';
import type { ContainmentRecord } from '../ports/processes.ts';
import { writeDurably } from './durable-file.ts';

export interface Spool {
  readonly directory: string;
  readonly journal: string;
  readonly turn: string;
  /** Small facts by name, written whole and durably. */
  write(name: SpoolFact, value: unknown): void;
}

export type SpoolFact = 'grant' | 'tree' | 'session' | 'fenced' | 'cut';

export interface SpoolTree {
  readonly directory: string;
  readonly isolation: 'worktree' | 'none';
}

/** `<directory of all spools>/<execution>`; the id is checked, since it becomes a path. */
export function spoolPath(spoolDirectory: string, execution: ExecutionId): string {
  invariant(/^[a-z0-9]+\.\d+$/.test(execution), `an execution id names a spool: ${execution}`);
  return join(spoolDirectory, execution);
}

/**
 * Takes the spool for this process; null when a living process has it. A dead owner is replaced, by
 * one taker alone: the owner file appears whole by `link`, which fails when it is there.
 */
export function openSpool(
  directory: string,
  self: Holder,
  lives: (holder: Holder) => boolean,
): Spool | null {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const owner = join(directory, 'owner');
  const mine = join(directory, `owner.${randomBytes(6).toString('hex')}`);
  writeDurably(mine, JSON.stringify(self));
  try {
    const isFree = linked(mine, owner) || (takeOver(directory, lives) && linked(mine, owner));
    if (!isFree) return null;
  } finally {
    rmSync(mine, { force: true });
  }
  const journal = join(directory, 'journal');
  const turn = join(directory, 'turn');
  mkdirSync(turn, { recursive: true, mode: 0o700 });
  return {
    directory,
    journal,
    turn,
    write: (name, value) => writeDurably(join(directory, `${name}.json`), JSON.stringify(value)),
  };
}

/** Null when nobody has it, or when what is there is not an owner. */
export function ownerOf(directory: string): Holder | null {
  const value = readJson(join(directory, 'owner'));
  return isHolder(value) ? value : null;
}

export function readFact<T>(directory: string, name: SpoolFact): T | null {
  return readJson(join(directory, `${name}.json`)) as T | null;
}

/** Every containment record that was written into the folder. */
export function recordsIn(directory: string): readonly ContainmentRecord[] {
  return namesIn(directory)
    .filter((name) => /^containment-\d+\.json$/.test(name))
    .flatMap((name) => {
      const value = readJson(join(directory, name));
      return isRecord(value) ? [value] : [];
    });
}

export function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch (error: unknown) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Moves a dead owner's file away; false when the owner lives or another taker was faster. */
function takeOver(directory: string, lives: (holder: Holder) => boolean): boolean {
  const owner = join(directory, 'owner');
  const held = ownerOf(directory);
  if (held !== null && lives(held)) return false;
  const aside = join(directory, `owner.dead.${randomBytes(6).toString('hex')}`);
  try {
    renameSync(owner, aside);
  } catch (error: unknown) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
  const moved = readJson(aside);
  // What was moved must be what was judged; a faster taker gets its file back.
  const same = JSON.stringify(moved) === JSON.stringify(held);
  if (!same) linked(aside, owner);
  rmSync(aside, { force: true });
  return same;
}

function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error: unknown) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function readJson(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error: unknown) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  try {
    return JSON.parse(text);
  } catch {
    // Cut by a crash of an older version or damaged: says nothing.
    return null;
  }
}

function isHolder(value: unknown): value is Holder {
  if (typeof value !== 'object' || value === null) return false;
  const holder = value as Readonly<Record<string, unknown>>;
  const numbers = [holder['pid'], holder['started']];
  return typeof holder['bootId'] === 'string' && numbers.every((n) => typeof n === 'number');
}

function isRecord(value: unknown): value is ContainmentRecord {
  if (typeof value !== 'object' || value === null) return false;
  const record = value as Readonly<Record<string, unknown>>;
  const strings = [record['rung'], record['bootId'], record['execution']];
  return strings.every((text) => typeof text === 'string') && typeof record['pid'] === 'number';
}
