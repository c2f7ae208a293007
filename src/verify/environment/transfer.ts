/**
 * Brings prepared paths from one tree into another: by reflink (shares nothing that a write could
 * reach), by hard links (only where the runtime alone writes), or by copying. Modes and links are
 * kept (L-G20). Nothing is written through a symbolic link that the target tree brings along.
 */
import {
  chmodSync,
  constants,
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import { chmod, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Entry, walk } from './walk.ts';

export type TransferWay = 'reflink' | 'hardlink' | 'copy';

export interface Transfer {
  readonly from: string;
  readonly to: string;
  readonly paths: readonly string[];
}

/**
 * Replaces the paths in `to`. Tries the ways in order and answers the one that held for all; null
 * when none did. Whatever a failed way left is removed.
 */
export async function transfer(
  what: Transfer,
  ways: readonly TransferWay[],
): Promise<TransferWay | null> {
  for (const way of ways) {
    await removePaths(what.to, what.paths);
    if (await tryWay(what, way)) return way;
  }
  await removePaths(what.to, what.paths);
  return null;
}

/** Removes paths below a directory, read-only folders too; never through a link. */
export async function removePaths(directory: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    if (!leadsInside(directory, path)) continue;
    await removeTree(join(directory, path));
  }
}

/** Whether each folder above the path is a real folder of the tree, or not there yet. */
export function leadsInside(directory: string, path: string): boolean {
  if (path === '' || path.startsWith('/') || path.split('/').includes('..')) return false;
  let above = dirname(path);
  while (above !== '.' && above !== '/') {
    const stats = lstatSync(join(directory, above), { throwIfNoEntry: false });
    if (stats !== undefined && !stats.isDirectory()) return false;
    above = dirname(above);
  }
  return true;
}

async function tryWay(what: Transfer, way: TransferWay): Promise<boolean> {
  const folders: Entry[] = [];
  try {
    for await (const entry of walk(what.from, what.paths)) {
      if (!what.paths.includes(entry.path)) bring(what, entry, way);
      else if (leadsInside(what.to, entry.path)) {
        mkdirSync(dirname(join(what.to, entry.path)), { recursive: true });
        bring(what, entry, way);
      } else return false;
      if (entry.kind === 'directory') folders.push(entry);
    }
  } catch (error: unknown) {
    if (isUnsupported(error)) return false;
    throw error;
  }
  // Last and inmost first: a read-only folder could not have been filled.
  for (const entry of folders.reverse()) {
    chmodSync(join(what.to, entry.path), Number(entry.stats.mode & 0o7777n));
  }
  return true;
}

function bring(what: Transfer, entry: Entry, way: TransferWay): void {
  const [from, to] = [join(what.from, entry.path), join(what.to, entry.path)];
  if (entry.kind === 'directory') mkdirSync(to, { mode: 0o700 });
  else if (entry.kind === 'link') symlinkSync(entry.target ?? '', to);
  else if (entry.kind === 'file') bringFile(from, to, entry, way);
  // Sockets and pipes are of a process that is gone; they mean nothing elsewhere.
}

function bringFile(from: string, to: string, entry: Entry, way: TransferWay): void {
  if (way === 'hardlink') {
    linkSync(from, to);
    return;
  }
  copyFileSync(from, to, way === 'reflink' ? constants.COPYFILE_FICLONE_FORCE : 0);
  chmodSync(to, Number(entry.stats.mode & 0o7777n));
  utimesSync(to, Number(entry.stats.atimeMs) / 1000, Number(entry.stats.mtimeMs) / 1000);
}

const unsupported = new Set([
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EXDEV',
  'EINVAL',
  'EPERM',
  'EMLINK',
  'ENOTTY',
]);

function isUnsupported(error: unknown): boolean {
  return error instanceof Error && 'code' in error && unsupported.has(String(error.code));
}

/** Not synchronous: many thousand files would hold up heartbeats for seconds. */
async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch (error: unknown) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EACCES')) throw error;
    await makeWritable(path);
    await rm(path, { recursive: true, force: true });
  }
}

async function makeWritable(path: string): Promise<void> {
  await chmod(path, 0o700);
  for (const entry of await readdir(path, { withFileTypes: true })) {
    if (entry.isDirectory()) await makeWritable(join(path, entry.name));
  }
}
