/** Making and unmaking the two kinds of tree: a linked work tree, and a clone of its own. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { WorldError } from '../kernel/errors.ts';
import { cloneRepository, ensureCommit } from './clone.ts';
import { entriesOf, exists, removeTree } from './files.ts';
import { waitFor, withLock } from './lock.ts';
import { heldTo } from './proof.ts';
import { pointerOf, removeRecord, type TreeRecord } from './records.ts';
import { commitOf, dropRef, moveRef, type Place, repositoryLock } from './repository.ts';

const lockMs = 120_000;
const contention = /could not lock|cannot lock|unable to create .*\.lock|file exists/i;
const retriesMs = 10_000;

/**
 * Branch and registered, still empty tree. Locked, so that the user's own prune leaves it alone.
 */
export async function makeWorktree(place: Place, record: TreeRecord): Promise<void> {
  const lock = await repositoryLock(place, record.commonDir);
  await withLock(lock, { waitMs: lockMs }, async () => {
    const call = { cwd: record.root };
    const ref = `refs/heads/${record.branch}`;
    if ((await commitOf(place, ref, call)) === null) {
      const move = { ref, to: record.from, old: null, why: 'pawl: cut' };
      if (!(await moveRef(place, move, call))) {
        throw new WorldError('workspace_failed', `${ref} was made by somebody else just now`);
      }
    }
    await addPatiently(place, record);
  });
}

/** The user's own git may hold a lock of the repository for a moment. */
async function addPatiently(place: Place, record: TreeRecord): Promise<void> {
  let last: WorldError | null = null;
  const add = async (): Promise<true | null> => {
    try {
      const reason = `pawl run ${record.short}`;
      await place.git.run(
        ['worktree', 'add', '-q', '--no-checkout', '--lock', '--reason', reason].concat([
          record.directory,
          record.branch,
        ]),
        { cwd: record.root },
      );
      return true;
    } catch (error: unknown) {
      if (!(error instanceof WorldError) || !contention.test(error.message)) throw error;
      last = error;
      return null;
    }
  };
  const isAdded = await waitFor(add, { waitMs: retriesMs });
  if (isAdded === null) throw last ?? new WorldError('workspace_failed', 'git worktree add failed');
}

/** Shares nothing that a process in the predecessor's tree could move; same branch name inside. */
export async function makeClone(place: Place, record: TreeRecord): Promise<void> {
  const { directory, from, branch, commonDir } = record;
  await cloneRepository(place, commonDir, directory);
  await ensureCommit(place, { into: directory, from: commonDir, commit: from });
  const call = heldTo(directory);
  await place.git.run(['update-ref', `refs/heads/${branch}`, from], call);
  await place.git.run(['symbolic-ref', 'HEAD', `refs/heads/${branch}`], call);
}

/** Takes back a tree that was not finished: nobody has worked in it. */
export async function unmake(place: Place, record: TreeRecord): Promise<void> {
  const lock = await repositoryLock(place, record.commonDir);
  await withLock(lock, { waitMs: lockMs }, async () => {
    await removeTree(record.directory, join(place.home, 'trash'));
    await unregister(record);
    if (record.isBranchNew && (await exists(record.root))) {
      await dropRef(place, [`refs/heads/${record.branch}`, record.from], { cwd: record.root });
    }
  });
  await removeRecord(record.directory);
}

/**
 * Removes git's own note of one linked tree, found by the path it names. `git worktree prune` would
 * also forget trees of the user whose disk is not mounted.
 */
export async function unregister(
  record: Pick<TreeRecord, 'commonDir' | 'directory'>,
): Promise<void> {
  const folder = join(record.commonDir, 'worktrees');
  for (const name of await entriesOf(folder)) {
    const pointer = await pointerOf(join(folder, name));
    if (pointer !== join(record.directory, '.git')) continue;
    await rm(join(folder, name), { recursive: true, force: true });
  }
}
