/**
 * Removing trees of ended runs. Only what has a record is looked at; dirty work goes to a ref
 * first, or into a bundle when the repository is gone; a branch goes only with work that has
 * landed, and its commit stays reachable then, since a receipt names it.
 */
import { mkdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { WorldError } from '../kernel/errors.ts';
import type { Commit, ExecutionId } from '../ports/words.ts';
import {
  type KeptRef,
  type PruneItem,
  type PruneSubject,
  unusedKeptMs,
} from '../ports/workspace.ts';
import { bytesBelow, entriesOf, exists, realpathOf, removeTree, statOf, unique } from './files.ts';
import { identityEnv, pawlIdentity } from './git.ts';
import { keptRefs } from './kept.ts';
import { isLocked, withLock } from './lock.ts';
import { unregister } from './make-tree.ts';
import { isAbandoned } from './open-tree.ts';
import { isIncoming, prunableIncoming, pruneIncoming } from './prune-incoming.ts';
import { allRecords, readRecord, removeRecord, type TreeRecord } from './records.ts';
import {
  commitOf,
  dropRef,
  isAncestor,
  type Place,
  poolPath,
  poolsOf,
  repositoryAt,
  repositoryLock,
  runRef,
  treeIdOf,
} from './repository.ts';
import { rescue } from './rescue.ts';
import { salvage } from './snapshot.ts';

const lockMs = 120_000;

export async function prunable(
  place: Place,
  root: string,
  runs: readonly PruneSubject[],
): Promise<readonly PruneItem[]> {
  const subjects = new Map(runs.map((run) => [run.run, run]));
  const here = (await realpathOf(root)) ?? root;
  const items: PruneItem[] = [];
  for (const record of await allRecords(place.home)) {
    if (record.root !== root && ((await realpathOf(record.root)) ?? record.root) !== here) continue;
    const subject = subjects.get(record.run) ?? null;
    const safeBecause = await whySafe(place, record, subject);
    if (safeBecause === null) continue;
    items.push({
      run: record.run,
      path: record.directory,
      branch: await branchToGo(place, record, subject?.landed === true),
      root: record.root,
      bytes: await bytesBelow(record.directory),
      safeBecause,
    });
  }
  items.push(...(await prunableIncoming(place, root, runs)));
  items.push(...(await idlePool(place, root)));
  return items;
}

/** Check trees are made again when they are needed; those in use lately stay for their speed. */
async function idlePool(place: Place, root: string): Promise<readonly PruneItem[]> {
  const repository = (await exists(root)) ? await repositoryAt(place, root) : null;
  if (repository === null) return [];
  const path = await poolPath(place, repository);
  const names = await entriesOf(path);
  for (const name of names) {
    const stat = await statOf(join(path, name));
    const isUsed = name.endsWith('.owner') && (await isLocked(join(path, name)));
    if (isUsed || (stat !== null && Date.now() - stat.mtimeMs < unusedKeptMs)) return [];
  }
  if (names.length === 0) return [];
  const safeBecause = 'check trees are made again when they are needed';
  return [{ run: null, path, branch: null, root, bytes: await bytesBelow(path), safeBecause }];
}

/** Null: not provably safe, so it is not offered. */
async function whySafe(
  place: Place,
  record: TreeRecord,
  subject: PruneSubject | null,
): Promise<string | null> {
  if (isAbandoned(record)) return 'it was never finished: its maker died before any work began';
  if (subject === null || !subject.ended || record.state === 'making') return null;
  if (!(await exists(record.commonDir))) {
    return `repository ${record.root} is gone; the files are first saved as ${bundleOf(place, record)}`;
  }
  if (!(await exists(record.directory))) return 'its folder is gone already';
  if (record.landed?.keep === true) return null;
  if (record.landed !== null) {
    return `landed in ${record.landed.into} as ${record.landed.commit.slice(0, 7)}`;
  }
  if (subject.landed) return 'the run has landed';
  return `the run has ended; its commits stay on ${record.branch}, unrecorded work goes to refs/pawl/lost`;
}

async function branchToGo(
  place: Place,
  record: TreeRecord,
  hasLanded: boolean,
): Promise<string | null> {
  if (record.landed === null && !hasLanded) return null;
  if (!(await exists(record.commonDir))) return null;
  const tip = await commitOf(place, `refs/heads/${record.branch}`, byName(record));
  return tip !== null && (await isKept(place, record, tip)) ? record.branch : null;
}

/** Whether the run's own ref holds all of the branch; one that went on after that stays. */
async function isKept(place: Place, record: TreeRecord, tip: TreeRecord['from']): Promise<boolean> {
  const kept = await commitOf(place, runRef(record.run), byName(record));
  return kept !== null && isAncestor(place, [tip, kept], byName(record));
}

/** Git on a repository that is named and not searched for: its checkout may be elsewhere by now. */
const byName = ({ commonDir }: TreeRecord) => ({
  cwd: commonDir,
  env: { GIT_DIR: commonDir },
});

const bundleOf = (place: Place, record: TreeRecord): string =>
  join(place.home, 'lost', `${basename(record.directory)}.bundle`);

/** @throws WorldError when the tree is not one of pawl's, or when it is still there afterwards. */
export async function prune(place: Place, item: PruneItem): Promise<void> {
  if (item.run === null && dirname(item.path) === poolsOf(place)) {
    await removeTree(item.path, join(place.home, 'trash'));
    return;
  }
  if (isIncoming(item)) return pruneIncoming(place, item);
  const record = await readRecord(item.path);
  if (record === null) {
    throw new WorldError('workspace_failed', `${item.path} is not a work tree of pawl`, {
      where: item.path,
    });
  }
  await saveWork(place, record);
  await removeTree(record.directory, join(place.home, 'trash'));
  if (await exists(record.commonDir)) await forget(place, record, item.branch);
  await removeRecord(record.directory);
}

async function saveWork(place: Place, record: TreeRecord): Promise<void> {
  const stat = await statOf(record.directory);
  if (record.state === 'making' || stat === null || !stat.isDirectory()) return;
  const { directory, root, branch, base } = record;
  const tree = { directory, root, branch, base, created: false, isolation: 'worktree' } as const;
  try {
    const id = `${record.run}.pruned-${unique()}`;
    const lost = await salvage(place, tree, id as ExecutionId);
    if (lost !== null)
      await dropDouble(place, record, { ref: `refs/pawl/lost/${id}`, commit: lost });
  } catch (error: unknown) {
    if (!(error instanceof WorldError) || error.code !== 'workspace_lost') throw error;
    if ((await exists(record.commonDir)) && (await keptFiles(place, record))) return;
    await bundle(place, record);
  }
}

/** What the end of a lane has kept already is not kept once more beside it. */
async function dropDouble(place: Place, record: TreeRecord, made: KeptRef): Promise<void> {
  const call = { cwd: record.root };
  const parents = await place.git.text(['rev-parse', `${made.commit}^@`], call);
  const before = parents.split('\n').filter((line) => line !== '') as Commit[];
  for (const { ref, commit } of await keptRefs(place, record.root, record.run)) {
    if (ref === made.ref || !(await sameTree(place, call, [made.commit, commit]))) continue;
    const held = await Promise.all(before.map((one) => isAncestor(place, [one, commit], call)));
    if (held.every(Boolean) && (await dropRef(place, [made.ref, made.commit], call))) return;
  }
}

async function sameTree(
  place: Place,
  call: { readonly cwd: string },
  [one, other]: readonly [Commit, Commit],
): Promise<boolean> {
  return (await treeIdOf(place, one, call)) === (await treeIdOf(place, other, call));
}

/** In the repository itself, where they are found beside all other unrecorded work. */
async function keptFiles(place: Place, record: TreeRecord): Promise<boolean> {
  return (await rescue(place, record)) !== null;
}

/**
 * Without its repository (gone, or not found any more) a tree is only files: they become one commit
 * of their own.
 */
async function bundle(place: Place, record: TreeRecord): Promise<void> {
  const gitDir = join(place.home, 'tmp', `${unique()}.git`);
  const target = bundleOf(place, record);
  await mkdir(join(place.home, 'lost'), { recursive: true, mode: 0o700 });
  await mkdir(gitDir, { recursive: true, mode: 0o700 });
  const call = {
    cwd: record.directory,
    env: {
      GIT_DIR: gitDir,
      GIT_WORK_TREE: record.directory,
      ...identityEnv(pawlIdentity),
    },
  };
  try {
    await place.git.run(['init', '-q', '--template='], {
      cwd: record.directory,
      env: { GIT_DIR: gitDir },
    });
    await place.git.run(['add', '-A', '--ignore-errors'], { ...call, accept: [1] });
    const message = `pawl: files of run ${record.run}`;
    await place.git.run(['commit', '-q', '--no-verify', '--allow-empty', '-m', message], call);
    await place.git.run(['bundle', 'create', '-q', target, 'HEAD'], call);
  } finally {
    await removeTree(gitDir, join(place.home, 'trash'));
  }
}

async function forget(place: Place, record: TreeRecord, branch: string | null): Promise<void> {
  const lock = await repositoryLock(place, record.commonDir);
  await withLock(lock, { waitMs: lockMs }, async () => {
    await unregister(record);
    if (branch === null || branch !== record.branch) return;
    const call = byName(record);
    const ref = `refs/heads/${branch}`;
    const tip = await commitOf(place, ref, call);
    if (tip !== null && (await isKept(place, record, tip))) await dropRef(place, [ref, tip], call);
  });
}
