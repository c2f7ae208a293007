/** The files of a turn: outside the work tree, readable by the owner alone. */
import { constants, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { TurnFiles } from '../ports/agent.ts';
import type { Dispatch } from '../ports/plane.ts';

/** A result file above this is cut one byte later, which no adapter accepts. */
const resultBytesMax = 256 * 1024;

export function writeTurnFiles(directory: string, home: string, dispatch: Dispatch): TurnFiles {
  const files: TurnFiles = {
    directory,
    prompt: join(directory, 'prompt.md'),
    history: join(directory, `.loop-history-${dispatch.run}.md`),
    result: join(directory, 'result.json'),
    home,
  };
  mkdirSync(files.home, { recursive: true, mode: 0o700 });
  writeFileSync(files.prompt, dispatch.prompt, { mode: 0o600 });
  writeFileSync(files.history, dispatch.history, { mode: 0o600 });
  return files;
}

/**
 * Each turn gets its history rendered anew from what the run recorded, so the rendering goes with
 * the turn, and nothing else does.
 */
export function removeHistory(files: Pick<TurnFiles, 'history'>): void {
  rmSync(files.history, { force: true });
}

/** As {@link readLeft}, and then it is gone: what is kept of it is kept redacted (L-N1, L-N5). */
export async function takeLeft(path: string): Promise<string | null> {
  const text = await readLeft(path);
  rmSync(path, { recursive: true, force: true });
  return text;
}

/**
 * What the agent left under that name, bounded; null when there is nothing. Never waits: what is
 * not a plain file (a pipe that nobody writes, L-D20) reads as text that no adapter takes for a
 * result.
 */
export async function readLeft(path: string): Promise<string | null> {
  try {
    if (!(await lstat(path)).isFile()) return 'not a plain file';
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const buffer = Buffer.alloc(resultBytesMax + 1);
      const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
      return buffer.subarray(0, bytesRead).toString('utf8');
    } finally {
      await file.close();
    }
  } catch (error: unknown) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') return null;
    if (code === 'ELOOP' || code === 'EACCES' || code === 'ENXIO') return 'not a plain file';
    throw error;
  }
}
