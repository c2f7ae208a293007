/**
 * Recording a work tree through an index of our own: the real index, its lock, the branch and the
 * checkout are not touched. Starts as a copy of the real one, for its stat cache.
 */
import { constants } from 'node:fs';
import { access, copyFile, mkdir, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { WorldError } from '../kernel/errors.ts';
import { statOf, unique } from './files.ts';
import { type GitCall, splitNul } from './git.ts';
import type { Place } from './repository.ts';

export interface OwnIndex {
  readonly file: string;
  /** Git on the work tree, through this index. */
  readonly call: GitCall;
}
export interface Checked {
  readonly directory: string;
  readonly gitDir: string;
  readonly call: GitCall;
}

export async function withOwnIndex<T>(
  place: Place,
  tree: Checked,
  use: (index: OwnIndex) => Promise<T>,
): Promise<T> {
  const folder = join(place.home, 'tmp');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `${unique()}.index`);
  const call = { ...tree.call, env: { ...tree.call.env, GIT_INDEX_FILE: file } };
  try {
    await copyIndex(join(tree.gitDir, 'index'), file);
    if (!(await isReadable(place, call))) {
      await rm(file, { force: true });
      await place.git.run(['read-tree', 'HEAD'], { ...call, accept: [128] });
    }
    await unhide(place, tree.directory, call);
    return await use({ file, call });
  } finally {
    await rm(file, { force: true });
    await rm(`${file}.lock`, { force: true });
  }
}

/**
 * Git takes an entry that is as young as the index for possibly changed, so the copy must not look
 * younger than the original.
 */
export async function copyIndex(from: string, to: string): Promise<void> {
  const stat = await statOf(from);
  if (stat === null) return;
  await copyFile(from, to);
  const seconds = Math.floor(stat.mtimeMs / 1000);
  await utimes(to, seconds, seconds);
}

/** False for a missing or a damaged index (its writer was killed). */
async function isReadable(place: Place, call: GitCall): Promise<boolean> {
  const file = call.env?.['GIT_INDEX_FILE'] ?? '';
  if ((await statOf(file)) === null) return false;
  const answer = await place.git.run(['ls-files', '-z'], {
    ...call,
    outputBytesMax: 1,
    cut: true,
    accept: [128],
  });
  return answer.exit === 0;
}

/** Flags that make git look away from a file: a sparse file that is there after all counts too. */
async function unhide(place: Place, directory: string, call: GitCall): Promise<void> {
  const flagged = (await place.git.list(['ls-files', '-v', '-z'], call)).map(
    (line) => [line.slice(0, 1), line.slice(2)] as const,
  );
  const assumed = flagged.filter(([tag]) => tag !== tag.toUpperCase()).map(([, path]) => path);
  await feed(place, ['update-index', '--no-assume-unchanged'], assumed, call);
  const skipped: string[] = [];
  for (const [tag, path] of flagged) {
    const isThere = tag.toUpperCase() === 'S' && (await statOf(join(directory, path))) !== null;
    if (isThere) skipped.push(path);
  }
  await feed(place, ['update-index', '--no-skip-worktree'], skipped, call);
}

async function feed(
  place: Place,
  args: readonly string[],
  paths: readonly (string | Buffer)[],
  call: GitCall,
): Promise<void> {
  if (paths.length === 0) return;
  const input = Buffer.concat(
    paths.flatMap((path) => [Buffer.from(path as string), Buffer.from([0])]),
  );
  await place.git.run([...args, '-z', '--stdin'], { ...call, input });
}

/** Folders that are made by tools and belong in no commit, ignored or not. */
const madeByTools = new Set(['node_modules', '.venv', '__pycache__', '.pytest_cache']);
/** Files that hold secrets by custom; templates of them do not. */
const secretNames = /^(\.env(\..+)?|\.netrc|\.pypirc|id_(rsa|dsa|ecdsa|ed25519))$/i;
const templateNames = /\.(example|sample|template|dist|defaults?)$/i;

/** The topmost folder on the way to `path` that tools make; null when there is none. */
export function toolFolder(path: string): string | null {
  const parts = path.split('/');
  const at = parts.findIndex((part) => madeByTools.has(part));
  return at < 0 ? null : `${parts.slice(0, at + 1).join('/')}/`;
}

function isSecret(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return secretNames.test(name) && !templateNames.test(name);
}

export interface Untracked {
  /** As bytes: a name need not be UTF-8. */
  readonly wanted: readonly Buffer[];
  /** Too large, nested repositories, secrets, tools' folders, unreadable files. */
  readonly leftOut: readonly string[];
}

/**
 * Untracked, not ignored files of the tree, parted into what belongs in a commit and what does not.
 */
export async function untrackedOf(
  place: Place,
  directory: string,
  call: GitCall,
): Promise<Untracked> {
  const answer = await place.git.run(['ls-files', '-o', '--exclude-standard', '-z'], call);
  const wanted: Buffer[] = [];
  const leftOut = new Set<string>();
  for (const raw of splitBytes(answer.bytes)) {
    const path = raw.toString('utf8');
    const folder = toolFolder(path);
    if (folder !== null) leftOut.add(folder);
    else if (path.endsWith('/') || isSecret(path)) leftOut.add(path);
    else if (await isRecordable(place, Buffer.concat([Buffer.from(`${directory}/`), raw]))) {
      wanted.push(raw);
    } else leftOut.add(path);
  }
  return { wanted, leftOut: [...leftOut] };
}

async function isRecordable(place: Place, path: Buffer): Promise<boolean> {
  const stat = await statOf(path);
  if (stat === null || stat.size > place.untrackedBytesMax) return false;
  if (stat.isSymbolicLink()) return true;
  return access(path, constants.R_OK).then(
    () => true,
    () => false,
  );
}

function splitBytes(bytes: Buffer): readonly Buffer[] {
  const fields: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(0, start);
    const stop = end < 0 ? bytes.length : end;
    fields.push(bytes.subarray(start, stop));
    start = stop + 1;
  }
  return fields;
}

export interface Staged {
  readonly treeId: string;
  readonly leftOut: readonly string[];
}

/** The work tree as a tree object: tracked changes and untracked files, ignore rules respected. */
export async function stage(place: Place, directory: string, index: OwnIndex): Promise<Staged> {
  await place.git.run(['add', '-u', '--ignore-errors'], { ...index.call, accept: [1] });
  const { wanted, leftOut } = await untrackedOf(place, directory, index.call);
  await feed(place, ['update-index', '--add'], wanted, index.call);
  const unrecorded = await place.git.list(
    ['diff-files', '--name-only', '-z', '--ignore-submodules=dirty'],
    index.call,
  );
  const treeId = await place.git.text(['write-tree'], index.call);
  if (treeId === '') throw new WorldError('git_failed', 'git wrote no tree', { where: directory });
  return { treeId, leftOut: [...new Set([...leftOut, ...unrecorded])] };
}

/** Paths of the tree that some call of git names with NULs between. */
export async function namesOf(
  place: Place,
  args: readonly string[],
  call: GitCall,
): Promise<readonly string[]> {
  return splitNul((await place.git.run(args, call)).bytes);
}
