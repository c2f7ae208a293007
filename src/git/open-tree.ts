/**
 * The tree of a run: made once, entered again by each execution, and never shared by two runs. The
 * record comes first, then branch and tree under the repository's lock, then the files; a failure
 * takes back all of it and nothing else.
 */
import { mkdir, realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { WorldError } from '../kernel/errors.ts';
import type { Commit } from '../ports/words.ts';
import type { Tree, TreeRequest } from '../ports/workspace.ts';
import { copyIgnored } from './copy-list.ts';
import { bytesBelow, exists } from './files.ts';
import { withLock } from './lock.ts';
import { makeClone, makeWorktree, unmake } from './make-tree.ts';
import { lives, self } from './owner.ts';
import { heldTo, prove } from './proof.ts';
import {
  allRecords,
  isSpent,
  readRecord,
  type TreeRecord,
  worktreesOf,
  writeRecord,
} from './records.ts';
import { commitOf, needRepository, type Place, type Repository } from './repository.ts';
import { fillSubmodules, submodulesMs } from './submodules.ts';

const makingMs = 15 * 60_000;
const namesMax = 9;
const successorsMax = 1000;
const checkoutMs = 10 * 60_000;

export async function openTree(place: Place, request: TreeRequest): Promise<Tree> {
  if (request.isolation === 'none') return unisolated(request);
  const repository = await needRepository(place, request.root);
  const first = await firstDirectory(place, request);
  return withLock(`${first}.lock`, { waitMs: makingMs }, async () => {
    const newest = await newestOf(first, request);
    if (newest !== null && newest.state === 'making') await unmake(place, newest);
    const current = newest?.state === 'ready' ? newest : null;
    const isFree = request.fresh === null && current !== null && !isSpent(current);
    if (isFree) return reenter(place, current, request);
    return make(place, { request, repository, first, predecessor: current });
  });
}

function unisolated(request: TreeRequest): Tree {
  return {
    run: request.run,
    directory: request.root,
    root: request.root,
    branch: null,
    base: request.base,
    created: false,
    isolation: 'none',
  };
}

/** Characters that any file system and any branch name takes. */
const safeName = (text: string): string =>
  text.replaceAll(/[^A-Za-z0-9._-]+/g, '-').replaceAll(/^[.-]+|[.-]+$|\.(?=\.)|\.lock$/g, '') ||
  'x';

async function firstDirectory(place: Place, request: TreeRequest): Promise<string> {
  const project = join(worktreesOf(place.home), safeName(basename(request.root)));
  await mkdir(project, { recursive: true, mode: 0o700 });
  return join(await realpath(project), `${safeName(request.name)}-${safeName(request.short)}`);
}

/** The run's tree of now: its first one, or the last that took a predecessor's place. */
async function newestOf(first: string, request: TreeRequest): Promise<TreeRecord | null> {
  let record = await ownRecord(first, request);
  for (let n = 0; record !== null && record.successor !== null && n < successorsMax; n += 1) {
    const next: TreeRecord | null = await readRecord(record.successor);
    if (next === null) return record;
    record = next;
  }
  return record;
}

/** A name may be taken by another run or by a stranger's folder; then the next one was used. */
async function ownRecord(first: string, request: TreeRequest): Promise<TreeRecord | null> {
  for (const directory of candidates(first)) {
    const record = await readRecord(directory);
    if (record?.run === request.run) return record;
  }
  return null;
}

const candidates = (first: string): readonly string[] => [
  first,
  ...Array.from({ length: namesMax - 1 }, (_, n) => `${first}-${n + 2}`),
];

async function reenter(place: Place, record: TreeRecord, request: TreeRequest): Promise<Tree> {
  await prove(place, record);
  return treeOf(record, request, false);
}

function treeOf(record: TreeRecord, request: TreeRequest, created: boolean): Tree {
  return {
    directory: record.directory,
    root: record.root,
    branch: record.branch,
    base: request.base,
    created,
    isolation: 'worktree',
  };
}

interface Making {
  readonly request: TreeRequest;
  readonly repository: Repository;
  readonly first: string;
  readonly predecessor: TreeRecord | null;
}

async function make(place: Place, making: Making): Promise<Tree> {
  const { request, repository, predecessor } = making;
  const from = request.from ?? request.base;
  if (from === null) {
    throw new WorldError('workspace_failed', 'there is no commit to cut a work tree from', {
      where: request.root,
    });
  }
  const record: TreeRecord = {
    version: 1,
    run: request.run,
    name: request.name,
    short: request.short,
    root: repository.root,
    commonDir: repository.commonDir,
    directory: await freeDirectory(making),
    kind: request.fresh === null && predecessor === null ? 'worktree' : 'clone',
    ...(predecessor === null
      ? await freeBranch(place, making, from)
      : { branch: predecessor.branch, isBranchNew: false }),
    base: request.base,
    from,
    state: 'making',
    maker: self(),
    successor: null,
    landed: null,
  };
  await writeRecord(record);
  try {
    const notes = await fill(place, record, request);
    await writeRecord({ ...record, state: 'ready' });
    if (predecessor !== null) await writeRecord({ ...predecessor, successor: record.directory });
    return { ...treeOf(record, request, true), ...(notes.length > 0 ? { notes } : {}) };
  } catch (error: unknown) {
    await unmake(place, record);
    throw await withSpaceHeld(place, error);
  }
}

async function fill(
  place: Place,
  record: TreeRecord,
  request: TreeRequest,
): Promise<readonly string[]> {
  const { directory, root } = record;
  if (record.kind === 'clone') await makeClone(place, record);
  else await makeWorktree(place, record);
  const call = { ...heldTo(directory), deadlineMs: checkoutMs };
  await place.git.run(['reset', '-q', '--hard'], call);
  const untilMs = performance.now() + submodulesMs;
  const notes = await fillSubmodules(place, { root, directory, mode: request.submodules, untilMs });
  await copyIgnored(place, { root, directory, globs: request.copy });
  await prove(place, record);
  return notes;
}

/** Never a path that exists, and for a fresh tree never one that was used. */
async function freeDirectory(making: Making): Promise<string> {
  const { request, first } = making;
  const n =
    request.fresh === null ? '' : `.x${request.fresh.slice(request.fresh.lastIndexOf('.') + 1)}`;
  for (const directory of candidates(`${first}${n}`)) {
    const isTaken = (await exists(directory)) || (await readRecord(directory)) !== null;
    if (!isTaken) return directory;
  }
  throw new WorldError('workspace_failed', `${first} and its ${namesMax - 1} successors exist`, {
    where: first,
  });
}

/**
 * `pawl/<name>-<short>`, or the next free one. A branch that is there is taken only when it is
 * where the tree starts: what a pruned tree of the same run left.
 */
async function freeBranch(
  place: Place,
  making: Making,
  from: Commit,
): Promise<Pick<TreeRecord, 'branch' | 'isBranchNew'>> {
  const call = { cwd: making.repository.root };
  const isTaken = (await commitOf(place, 'refs/heads/pawl', call)) !== null;
  const stem = `${isTaken ? 'pawl-' : 'pawl/'}${basename(making.first)}`;
  for (const branch of candidates(stem)) {
    const tip = await commitOf(place, `refs/heads/${branch}`, call);
    if (tip === null) return { branch, isBranchNew: true };
    if (tip === from && !(await isCheckedOut(place, branch, making))) {
      return { branch, isBranchNew: false };
    }
  }
  throw new WorldError('workspace_failed', `the branch ${stem} exists with other work`, {
    where: making.repository.root,
  });
}

async function isCheckedOut(place: Place, branch: string, making: Making): Promise<boolean> {
  const listed = await place.git.text(['worktree', 'list', '--porcelain'], {
    cwd: making.repository.root,
  });
  return listed.split('\n').includes(`branch refs/heads/${branch}`);
}

/** A full disk shows here, but what fills it is usually older trees: the message says how much. */
async function withSpaceHeld(place: Place, error: unknown): Promise<unknown> {
  if (!(error instanceof WorldError) || error.code !== 'disk_full') return error;
  const bytes = await bytesBelow(worktreesOf(place.home));
  return new WorldError(
    'disk_full',
    'no space left to make a work tree',
    {
      ...error.details,
      so: `work trees of pawl hold ${(bytes / 1e9).toFixed(1)} GB; nothing was removed`,
      next: 'pawl prune',
      facts: { ...error.details.facts, bytesHeld: bytes },
    },
    error,
  );
}

/** Whether a record was left by a process that died while it made the tree. */
export const isAbandoned = (record: TreeRecord): boolean =>
  record.state === 'making' && !lives(record.maker);

/** The tree in use that carries the branch; of a run with several, the last. Reads only. */
export async function locate(place: Place, root: string, branch: string): Promise<string | null> {
  for (const record of await allRecords(place.home)) {
    const isOfBranch = record.root === root && record.branch === branch;
    if (!isOfBranch || record.state !== 'ready' || record.successor !== null) continue;
    if (await exists(record.directory)) return record.directory;
  }
  return null;
}
