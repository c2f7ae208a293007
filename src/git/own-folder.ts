/**
 * A run without isolation works in the user's own folder: neither its branch, index nor HEAD is
 * touched. What lies there after a turn is a commit under a ref of pawl's own, so that it can be
 * compared with the base, judged and shown like any other work.
 */
import type { Commit } from '../ports/words.ts';
import type { Snapshot, Tree } from '../ports/workspace.ts';
import { commitTree } from './commit-tree.ts';
import { namesOf, stage, withOwnIndex } from './own-index.ts';
import { commitOf, needRepository, type Place, runRef, treeIdOf } from './repository.ts';

const nothing: Snapshot = { commit: null, equalsBase: false, filesChanged: 0, leftOut: [] };

/** Without git, and for a tree of no run, nothing is recorded. */
export async function recordFolder(place: Place, tree: Tree, message: string): Promise<Snapshot> {
  const { base } = tree;
  if (base === null) return nothing;
  const { root, gitDir } = await needRepository(place, tree.directory);
  const checked = { directory: root, gitDir, call: { cwd: root } };
  return withOwnIndex(place, checked, async (index) => {
    const { treeId, leftOut } = await stage(place, root, index);
    const args = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', base, treeId];
    const changed = await namesOf(place, args, index.call);
    const commit = await keep(place, tree, { treeId, message, base });
    const isSame = changed.length === 0;
    return { commit, equalsBase: isSame, filesChanged: changed.length, leftOut };
  });
}

/** The commit of the folder; null when it is as the base has it and nothing was recorded before. */
async function keep(
  place: Place,
  { root, run }: Tree,
  what: { readonly treeId: string; readonly message: string; readonly base: Commit },
): Promise<Commit | null> {
  if (run === undefined) return null;
  const call = { cwd: root };
  const ref = runRef(run);
  const last = (await commitOf(place, ref, call)) ?? what.base;
  if ((await treeIdOf(place, last, call)) === what.treeId) return last === what.base ? null : last;
  const { treeId, message } = what;
  const commit = await commitTree(place, { treeId, message, parents: [last] }, call);
  await place.git.run(['update-ref', ref, commit], call);
  return commit;
}
