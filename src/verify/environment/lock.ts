/**
 * Mutual exclusion by a name, inside this process and between processes of the machine. A lock file
 * carries its holder; one whose process is proven gone is taken over.
 */
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Holder } from '../../domain/execution/state.ts';
import type { CancelSignal } from '../../kernel/cancel-signal.ts';
import { TransientError } from '../../kernel/errors.ts';
import { turns } from '../../kernel/turns.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Processes } from '../../ports/processes.ts';

export interface Locks {
  /** @throws TransientError `environment_busy` when another holds it longer than `waitMs`. */
  hold<T>(path: string, wait: LockWait, work: () => Promise<T>): Promise<T>;
}
export interface LockWait {
  readonly waitMs: number;
  readonly signal: CancelSignal;
}

const pollMs = 50;

export function fileLocks(means: { readonly processes: Processes; readonly clock: Clock }): Locks {
  const inTurn = turns();
  return {
    hold: (path, wait, work) => inTurn(path, () => holdFile(means, path, wait, work)),
  };
}

async function holdFile<T>(
  means: { readonly processes: Processes; readonly clock: Clock },
  path: string,
  wait: LockWait,
  work: () => Promise<T>,
): Promise<T> {
  const { processes, clock } = means;
  const own = JSON.stringify(processes.self('checks'));
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const until = clock.monotonicMs() + wait.waitMs;
  while (!take(path, own, processes)) {
    if (wait.signal.aborted || clock.monotonicMs() >= until) {
      throw new TransientError('environment_busy', `another process prepares ${path}`);
    }
    await clock.sleep(pollMs, wait.signal);
  }
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}

/** Linked in whole, so no reader ever sees a half-written holder. */
function take(path: string, own: string, processes: Processes): boolean {
  const aside = `${path}.${process.pid}`;
  writeFileSync(aside, own);
  try {
    linkSync(aside, path);
    return true;
  } catch (error: unknown) {
    if (!isCode(error, 'EEXIST')) throw error;
    removeIfDead(path, processes);
    return false;
  } finally {
    rmSync(aside, { force: true });
  }
}

/**
 * Moved aside before it is looked at again, so that two that find it dead do not remove a new one.
 */
function removeIfDead(path: string, processes: Processes): void {
  const held = read(path);
  if (held === null || isAlive(held, processes)) return;
  const aside = `${path}.${process.pid}.dead`;
  try {
    renameSync(path, aside);
  } catch (error: unknown) {
    if (isCode(error, 'ENOENT')) return;
    throw error;
  }
  const moved = read(aside);
  if (moved !== null && moved !== held) linkSync(aside, path);
  rmSync(aside, { force: true });
}

function isAlive(text: string, processes: Processes): boolean {
  try {
    const holder: Holder = JSON.parse(text);
    return processes.lives(holder);
  } catch (error: unknown) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error: unknown) {
    if (isCode(error, 'ENOENT')) return null;
    throw error;
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
