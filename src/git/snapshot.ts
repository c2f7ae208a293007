/**
 * The work of a turn becomes a commit on the run's branch, by plumbing: no hook, no identity of the
 * user, no lock of the tree's index. What the agent committed itself stays as history; where it
 * left HEAD does not matter: the branch afterwards holds the tree as it lies there.
 */
import { copyFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { WorldError } from '../kernel/errors.ts';
import type { Commit, ExecutionId } from '../ports/words.ts';
import type { Snapshot, Tree } from '../ports/workspace.ts';
import { ensureCommit } from './clone.ts';
import { commitTree } from './commit-tree.ts';
import { unique } from './files.ts';
import { recordFolder } from './own-folder.ts';
import { namesOf, type OwnIndex, stage, withOwnIndex } from './own-index.ts';
import { type Proven, prove } from './proof.ts';
import type { TreeRecord } from './records.ts';
import {
  branchOf,
  commitOf,
  isAncestor,
  moveRef,
  needRepository,
  type Place,
  runRef,
  treeIdOf,
} from './repository.ts';
import { withRescue } from './rescue.ts';
import { keepSubmoduleCommits } from './submodule-work.ts';

const triesMax = 3;

export async function snapshot(place: Place, tree: Tree, message: string): Promise<Snapshot> {
  if (tree.isolation === 'none') return recordFolder(place, tree, message);
  for (let round = 0; round < triesMax; round += 1) {
    const proven = await provenOrRescued(place, tree);
    const done = await withOwnIndex(place, proven, (index) =>
      record(place, { proven, index, message }),
    );
    if (done === null) continue;
    if (proven.record.kind === 'clone') await publish(place, proven, done.head);
    const { root, run } = proven.record;
    await keepSubmoduleCommits(place, { directory: proven.directory, root, run });
    return facts(place, tree, done);
  }
  throw movingBranch(tree);
}

/** A tree that is lost takes its files along unless they are kept at once. */
async function provenOrRescued(place: Place, tree: Tree): Promise<Proven> {
  try {
    return await prove(place, tree);
  } catch (error: unknown) {
    throw await withRescue(place, tree, error);
  }
}

export const movingBranch = ({ directory }: Tree): WorldError =>
  new WorldError('workspace_failed', 'the branch of the run keeps moving', {
    where: directory,
    so: 'another process writes to it',
  });

interface Recorded {
  readonly head: Commit;
  readonly leftOut: readonly string[];
}

/** Null when the branch moved meanwhile. */
async function record(
  place: Place,
  work: { readonly proven: Proven; readonly index: OwnIndex; readonly message: string },
): Promise<Recorded | null> {
  const { proven, index, message } = work;
  const ref = `refs/heads/${proven.record.branch}`;
  const staged = await stage(place, proven.directory, index);
  const tip = await commitOf(place, ref, proven.call);
  const parents = await parentsOf(place, proven, tip);
  const commit = await commitUnless(place, { treeId: staged.treeId, parents, message, proven });
  if (commit !== tip) {
    const move = { ref, to: commit, old: tip, why: 'pawl: snapshot' };
    if (!(await moveRef(place, move, proven.call))) return null;
  }
  await place.git.run(['update-ref', runRef(proven.record.run), commit], proven.call);
  await settle(place, proven, index);
  return { head: commit, leftOut: staged.leftOut };
}

/**
 * The agent's own commits count as history, and what was recorded before stays in it, whatever the
 * agent did to its branch: one parent where one line holds all, else each line that nothing holds.
 */
async function parentsOf(
  place: Place,
  proven: Proven,
  tip: Commit | null,
): Promise<readonly Commit[]> {
  const { call, record } = proven;
  const recorded = await commitOf(place, runRef(record.run), call);
  const head = await commitOf(place, 'HEAD', call);
  const lines = [recorded ?? record.from, tip, head].filter((line) => line !== null);
  const independent = await place.git.text(['merge-base', '--independent', ...lines], call);
  const held = new Set(independent.split('\n'));
  return [...new Set(lines)].filter((line) => held.has(line));
}

/** The only parent itself when it holds that tree already. */
export async function commitUnless(
  place: Place,
  wanted: {
    readonly treeId: string;
    readonly parents: readonly Commit[];
    readonly message: string;
    readonly proven: Proven;
  },
): Promise<Commit> {
  const [first, ...more] = wanted.parents;
  if (first !== undefined && more.length === 0) {
    const before = await treeIdOf(place, first, wanted.proven.call);
    if (before === wanted.treeId) return first;
  }
  return commitTree(place, wanted, wanted.proven.call);
}

/** What a killed git or an unfinished merge leaves in the private folder of our tree. */
const leftovers = [
  'index.lock',
  'HEAD.lock',
  'MERGE_HEAD',
  'MERGE_MODE',
  'MERGE_MSG',
  'AUTO_MERGE',
  'SQUASH_MSG',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  'BISECT_LOG',
  'rebase-merge',
  'rebase-apply',
  'sequencer',
];

/** The tree's own index and HEAD follow the branch; its files are the commit already. */
export async function settle(place: Place, proven: Proven, index: OwnIndex): Promise<void> {
  for (const name of leftovers) {
    await rm(join(proven.gitDir, name), { recursive: true, force: true });
  }
  const draft = join(proven.gitDir, `index.${unique()}`);
  await copyFile(index.file, draft);
  await rename(draft, join(proven.gitDir, 'index'));
  if ((await branchOf(place, proven.call)) !== proven.record.branch) {
    const ref = `refs/heads/${proven.record.branch}`;
    await place.git.run(['symbolic-ref', '-m', 'pawl: snapshot', 'HEAD', ref], proven.call);
  }
}

/**
 * The commits of a cloned tree go to the run's branch in the user's repository. Whatever a
 * predecessor wrote there meanwhile is kept beside it, never mixed in.
 */
export async function publish(place: Place, proven: Proven, head: Commit): Promise<void> {
  const { record } = proven;
  const from = join(proven.directory, '.git');
  await ensureCommit(place, { into: record.root, from, commit: head });
  await moveBranch(place, record, head);
}

/** The branch of a run to work that its repository holds already. */
export async function moveBranch(
  place: Place,
  record: Pick<TreeRecord, 'root' | 'run' | 'branch'>,
  head: Commit,
): Promise<void> {
  const call = { cwd: record.root };
  const ref = `refs/heads/${record.branch}`;
  await place.git.run(['update-ref', runRef(record.run), head], call);
  for (let round = 0; round < triesMax; round += 1) {
    const old = await commitOf(place, ref, call);
    if (old === head) return;
    if (old !== null && !(await isAncestor(place, [old, head], call))) {
      const kept = { ref: `refs/pawl/lost/${record.run}-${old.slice(0, 12)}`, to: old, old: null };
      await moveRef(place, { ...kept, why: 'pawl: written by a predecessor' }, call);
    }
    if (await moveRef(place, { ref, to: head, old, why: 'pawl: snapshot' }, call)) return;
  }
  throw new WorldError('workspace_failed', `${ref} keeps moving`, { where: record.root });
}

async function facts(place: Place, tree: Tree, done: Recorded): Promise<Snapshot> {
  const call = { cwd: tree.directory };
  const { base } = tree;
  if (base === null) {
    return { commit: done.head, equalsBase: false, filesChanged: 0, leftOut: done.leftOut };
  }
  const changed = await namesOf(
    place,
    ['diff-tree', '-r', '-z', '--name-only', '--no-renames', base, done.head],
    call,
  );
  return {
    commit: done.head === base ? null : done.head,
    equalsBase: changed.length === 0,
    filesChanged: changed.length,
    leftOut: done.leftOut,
  };
}

/**
 * Neither index nor branch nor checkout change; the commit hangs on nothing until a branch is cut
 * from it.
 */
export async function snapshotCheckout(place: Place, root: string, base: Commit): Promise<Commit> {
  const repository = await needRepository(place, root);
  const checked = {
    directory: repository.root,
    gitDir: repository.gitDir,
    call: { cwd: repository.root },
  };
  return withOwnIndex(place, checked, async (index) => {
    const { treeId } = await stage(place, repository.root, index);
    const message = 'pawl: changes of the checkout';
    return commitTree(place, { treeId, parents: [base], message }, checked.call);
  });
}

/** A ref in the user's repository to everything that the branch does not hold yet. */
export async function salvage(
  place: Place,
  tree: Pick<Tree, 'directory' | 'isolation'>,
  execution: ExecutionId,
): Promise<Commit | null> {
  if (tree.isolation === 'none') return null;
  const proven = await prove(place, tree);
  const { record, call } = proven;
  const head = (await commitOf(place, 'HEAD', call)) ?? record.from;
  const ref = `refs/pawl/lost/${execution}`;
  const kept = await commitOf(place, ref, { cwd: record.root });
  const lost = await withOwnIndex(place, proven, async (index) => {
    const { treeId } = await stage(place, proven.directory, index);
    if (treeId === (await treeIdOf(place, head, call))) return head;
    const before = kept === null ? null : await treeIdOf(place, kept, { cwd: record.root });
    if (kept !== null && before === treeId) return kept;
    const message = `pawl: unrecorded work of ${execution}`;
    return commitTree(place, { treeId, parents: [head], message }, call);
  });
  const root = { cwd: record.root };
  const tip = await commitOf(place, `refs/heads/${record.branch}`, root);
  if (record.kind === 'clone') {
    await ensureCommit(place, {
      into: record.root,
      from: join(proven.directory, '.git'),
      commit: lost,
    });
  }
  if (tip !== null && (await isAncestor(place, [lost, tip], root))) return null;
  if (tip === null && lost === record.from) return null;
  const why = 'pawl: salvaged';
  if (kept === lost || (await moveRef(place, { ref, to: lost, old: kept, why }, root))) return lost;
  throw new WorldError('workspace_failed', `${ref} moved while work was salvaged`);
}
