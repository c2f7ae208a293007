/**
 * Locks between processes, as files that name their holder. A lock whose holder is surely dead is
 * taken over; how old it is plays no part. The file appears with its content in one step (`link`),
 * so nobody ever reads half a lock.
 */
import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { CancelSignal } from '../kernel/cancel-signal.ts';
import { WorldError } from '../kernel/errors.ts';
import { hasCode } from './git.ts';
import { lives, type Owner, self } from './owner.ts';

export interface Held {
  release(): Promise<void>;
}

type Note = Owner & { readonly nonce: string };

async function readNote(path: string): Promise<Note | 'none' | 'unreadable'> {
  try {
    const note: unknown = JSON.parse(await readFile(path, 'utf8'));
    return isNote(note) ? note : 'unreadable';
  } catch (error: unknown) {
    if (hasCode(error, 'ENOENT')) return 'none';
    if (error instanceof SyntaxError) return 'unreadable';
    throw error;
  }
}

function isNote(value: unknown): value is Note {
  return (
    typeof value === 'object' &&
    value !== null &&
    'boot' in value &&
    typeof value.boot === 'string' &&
    'pid' in value &&
    typeof value.pid === 'number' &&
    'started' in value &&
    typeof value.started === 'number' &&
    'nonce' in value &&
    typeof value.nonce === 'string'
  );
}

async function removeIfThere(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error: unknown) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}

/** Creates the file whole, or answers false when it is there. */
async function create(path: string, note: Note): Promise<boolean> {
  const draft = `${path}.${note.nonce}`;
  await writeFile(draft, JSON.stringify(note), { mode: 0o600 });
  try {
    await link(draft, path);
    return true;
  } catch (error: unknown) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    await removeIfThere(draft);
  }
}

/** An unreadable lock was cut short by a power loss, so its holder is of another boot. */
const isDead = (note: Note | 'unreadable'): boolean => note === 'unreadable' || !lives(note);

/**
 * Removes a lock of a dead holder. Two takers would remove each other's new locks, so the removal
 * itself is under a second lock, held for two system calls; that one, orphaned, is renamed away.
 */
async function bury(path: string, note: Note): Promise<void> {
  const spade = `${path}.takeover`;
  if (!(await create(spade, note))) {
    const other = await readNote(spade);
    if (other === 'none' || !isDead(other)) return;
    const aside = `${spade}.${note.nonce}`;
    await rename(spade, aside).catch(ignoreMissing);
    await removeIfThere(aside);
    return;
  }
  try {
    const dead = await readNote(path);
    if (dead !== 'none' && isDead(dead)) await removeIfThere(path);
  } finally {
    await removeIfThere(spade);
  }
}

function ignoreMissing(error: unknown): void {
  if (!hasCode(error, 'ENOENT')) throw error;
}

/** Takes the lock if it is free or its holder is dead; null when somebody alive holds it. */
export async function tryLock(path: string): Promise<Held | null> {
  const note: Note = { ...self(), nonce: randomBytes(8).toString('hex') };
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  for (let round = 0; round < 3; round += 1) {
    if (await create(path, note)) return { release: () => release(path, note) };
    const holder = await readNote(path);
    if (holder === 'none') continue;
    if (!isDead(holder)) return null;
    await bury(path, note);
  }
  return null;
}

async function release(path: string, mine: Note): Promise<void> {
  const there = await readNote(path);
  if (typeof there === 'object' && there.nonce === mine.nonce) await removeIfThere(path);
}

/** Whether somebody alive holds the lock now. */
export async function isLocked(path: string): Promise<boolean> {
  const note = await readNote(path);
  return note !== 'none' && !isDead(note);
}

export interface Waiting {
  readonly waitMs: number;
  readonly signal?: CancelSignal;
}

/** Tries until `take` yields something; the pauses grow to a quarter of a second. */
export async function waitFor<T>(
  take: () => Promise<T | null>,
  waiting: Waiting,
): Promise<T | null> {
  const until = performance.now() + waiting.waitMs;
  for (let pauseMs = 5; ; pauseMs = Math.min(pauseMs * 2, 250)) {
    const taken = await take();
    if (taken !== null) return taken;
    if (waiting.signal?.aborted === true || performance.now() >= until) return null;
    await delay(pauseMs * (0.5 + Math.random()));
  }
}

/** @throws WorldError `workspace_busy` when the lock is not had within `waitMs`. */
export async function withLock<T>(
  path: string,
  waiting: Waiting,
  work: () => Promise<T>,
): Promise<T> {
  const held = await waitFor(() => tryLock(path), waiting);
  if (held === null) {
    throw new WorldError('workspace_busy', 'another pawl process works on this repository', {
      where: path,
    });
  }
  try {
    return await work();
  } finally {
    await held.release();
  }
}
