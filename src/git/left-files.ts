/**
 * Files of a folder that globs name, git-ignored ones too, with what they hold. Reads only, follows
 * no link, and ends: entries, files and bytes are bounded, and what is left out is told.
 */
import { createHash } from 'node:crypto';
import { createReadStream, type Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import picomatch from 'picomatch';
import type { FilesLeft, LeftFile } from '../ports/workspace.ts';
import { hasCode } from './git.ts';
import { matcher } from './scope.ts';

export const leftBounds = {
  entries: 100_000,
  files: 100,
  fileBytes: 64 * 1024 * 1024,
  bytes: 256 * 1024 * 1024,
} as const;
type Bounds = { readonly [name in keyof typeof leftBounds]: number };

/** Looked into only where a glob begins there. */
const aside = new Set(['.git', 'node_modules']);

export async function leftFiles(
  directory: string,
  globs: readonly string[],
  bounds: Bounds = leftBounds,
): Promise<FilesLeft> {
  const fits = globs.map((glob) => ({ glob, names: matcher([glob]) }));
  const { found, isCut } = await namedIn(directory, globs, bounds.entries);
  const paths = found.filter(({ path }) => fits.some(({ names }) => names(path)));
  const plain = paths.filter(({ isFile }) => isFile);
  const links = paths.filter(({ isFile }) => !isFile);
  const files: LeftFile[] = [];
  const refused = links.map(({ path }) => ({ path, why: 'it is a link or no plain file' }));
  let bytesLeft = bounds.bytes;
  for (const { path } of plain.slice(0, bounds.files)) {
    const most = Math.min(bounds.fileBytes, bytesLeft);
    const read = await fileAt(join(directory, path), most);
    if (typeof read === 'string') refused.push({ path, why: read });
    else {
      bytesLeft -= read.bytes;
      files.push({ path, ...read });
    }
  }
  for (const { path } of plain.slice(bounds.files)) {
    refused.push({ path, why: `more than ${bounds.files} files fit` });
  }
  if (isCut) refused.push({ path: '.', why: `only ${bounds.entries} entries were looked at` });
  const missing = fits.filter(({ names }) => !plain.some(({ path }) => names(path)));
  return { files, refused, missing: missing.map(({ glob }) => glob) };
}

interface Named {
  readonly path: string;
  readonly isFile: boolean;
}

/** Everything below the places where globs begin, in the order of names, each once. */
async function namedIn(
  directory: string,
  globs: readonly string[],
  entriesMax: number,
): Promise<{ readonly found: readonly Named[]; readonly isCut: boolean }> {
  const named = new Map<string, Named>();
  const open = [...new Set(globs.map(beginOf))];
  let left = entriesMax;
  for (let folder = open.shift(); folder !== undefined && left > 0; folder = open.shift()) {
    const entries = (await entriesOf(directory, folder)).slice(0, left);
    left -= entries.length;
    const within = (entry: Dirent): string => (folder === '' ? '' : `${folder}/`) + entry.name;
    const folders = entries.filter((entry) => entry.isDirectory() && !aside.has(entry.name));
    open.push(...folders.map(within));
    for (const entry of entries.filter((one) => !one.isDirectory())) {
      named.set(within(entry), { path: within(entry), isFile: entry.isFile() });
    }
  }
  const found = [...named.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  return { found, isCut: left === 0 };
}

/** The folder that holds all that a glob can fit. A plain path may name a folder or a file. */
function beginOf(glob: string): string {
  const plain = glob.replace(/^(\.?\/)+/, '').replace(/\/+$/, '');
  const { base, isGlob } = picomatch.scan(plain);
  const folders = isGlob ? base : plain.split('/').slice(0, -1).join('/');
  return folders === '.' ? '' : folders;
}

/** Where the way leads through a link nothing is found: it may lead out of the tree. */
async function entriesOf(directory: string, folder: string): Promise<readonly Dirent[]> {
  try {
    if (await hasLink(directory, folder)) return [];
    return await readdir(join(directory, folder), { withFileTypes: true });
  } catch (error: unknown) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM')) return [];
    throw error;
  }
}

async function hasLink(directory: string, folder: string): Promise<boolean> {
  const steps = folder === '' ? [] : folder.split('/');
  for (const [index, name] of steps.entries()) {
    const parent = join(directory, ...steps.slice(0, index));
    const entry = (await readdir(parent, { withFileTypes: true })).find((one) => one.name === name);
    if (entry?.isDirectory() !== true) return true;
  }
  return false;
}

/** A word for people where it is not taken in. */
async function fileAt(
  path: string,
  bytesMax: number,
): Promise<{ readonly sha256: string; readonly bytes: number } | string> {
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    const { size } = await stat(path);
    if (size > bytesMax) return `it is too large: ${size} bytes`;
    for await (const chunk of createReadStream(path)) {
      bytes += chunk.length;
      if (bytes > bytesMax) return `it is too large: more than ${bytesMax} bytes`;
      hash.update(chunk);
    }
  } catch (error: unknown) {
    if (hasCode(error, 'ENOENT', 'EACCES', 'EPERM', 'EISDIR', 'EIO')) return 'it cannot be read';
    throw error;
  }
  return { sha256: hash.digest('hex'), bytes };
}
