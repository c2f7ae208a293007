/** Small questions to the file system, each with its answer for "not there". */

import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import { chmod, lstat, mkdir, readdir, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { WorldError } from '../kernel/errors.ts';
import { hasCode } from './git.ts';

/** Status of the path itself, never of what a link points to; null when there is nothing. */
export async function statOf(path: string | Buffer): Promise<Stats | null> {
  try {
    return await lstat(path);
  } catch (error: unknown) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null;
    throw error;
  }
}

export const exists = async (path: string): Promise<boolean> => (await statOf(path)) !== null;

export async function realpathOf(path: string): Promise<string | null> {
  try {
    return await realpath(path);
  } catch (error: unknown) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) return null;
    throw error;
  }
}

/** Whether `path` is `directory` or lies below it; both are taken as they are written. */
export function isWithin(directory: string, path: string): boolean {
  const way = relative(directory, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !way.startsWith(sep));
}

export async function entriesOf(directory: string): Promise<readonly string[]> {
  try {
    return (await readdir(directory)).sort();
  } catch (error: unknown) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return [];
    throw error;
  }
}

/** Whole or not at all: a reader never sees half a file. */
export async function writeWhole(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${unique()}`;
  await writeFile(draft, text, { mode: 0o600, flush: true });
  await rename(draft, path);
}

export const unique = (): string => randomBytes(6).toString('hex');

export const shortHash = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 12);

const run = promisify(execFile);

/** Bytes on disk below a path, hard links counted once; 0 when it is gone. */
export async function bytesBelow(path: string): Promise<number> {
  if (!(await exists(path))) return 0;
  const answer = await run('du', ['-sk', '--', path], { maxBuffer: 1 << 20 }).catch(
    (error: unknown) => {
      // du answers 1 for a folder that it may not enter and still prints the sum.
      if (error instanceof Error && 'stdout' in error) return { stdout: String(error.stdout) };
      throw error;
    },
  );
  const kib = Number.parseInt(answer.stdout, 10);
  return Number.isFinite(kib) ? kib * 1024 : 0;
}

/** Removes a folder of ours by way of a rename, so that its name is free at once. */
export async function removeTree(path: string, trash: string): Promise<void> {
  if (!(await exists(path))) return;
  await mkdir(trash, { recursive: true, mode: 0o700 });
  const aside = join(trash, unique());
  await rename(path, aside);
  await removeStubborn(aside);
  if (await exists(aside)) {
    throw new WorldError('workspace_failed', `could not remove ${path}`, { where: aside });
  }
}

/** What whoever removed it was killed over: moved there longer ago than that. */
export async function emptyTrash(trash: string, forMs: number): Promise<void> {
  for (const name of await entriesOf(trash)) {
    const moved = await statOf(join(trash, name));
    if (moved !== null && Date.now() - moved.ctimeMs >= forMs) {
      await removeStubborn(join(trash, name));
    }
  }
}

/** A folder without write permission keeps its entries; ours are opened once and tried again. */
async function removeStubborn(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true, maxRetries: 2 });
  } catch (error: unknown) {
    if (!hasCode(error, 'EACCES', 'EPERM', 'ENOTEMPTY')) throw error;
    await openFolders(path);
    await rm(path, { recursive: true, force: true, maxRetries: 2 });
  }
}

async function openFolders(root: string): Promise<void> {
  const pending = [root];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    await chmod(folder, 0o700);
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if (entry.isDirectory()) pending.push(join(folder, entry.name));
    }
  }
}
