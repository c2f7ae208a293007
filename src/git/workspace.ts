import type { Workspace } from '../ports/workspace.ts';
import { changedFiles, commitsSince, patch, sameTree } from './changes.ts';
import { findings } from './findings.ts';
import { fingerprint, treeFingerprint } from './fingerprint.ts';
import { ignoredOf, inspect } from './inspect.ts';
import { keptRefs } from './kept.ts';
import { land } from './land.ts';
import { leftFiles } from './left-files.ts';
import { locate, openTree } from './open-tree.ts';
import { prove } from './proof.ts';
import { propose, remoteOf } from './propose.ts';
import { prunable, prune } from './prune.ts';
import { putBack } from './put-back.ts';
import { quarantine } from './records.ts';
import { commitOf, needRepository, placeOf, treeIdOf } from './repository.ts';
import { restoreTo } from './restore.ts';
import { salvage, snapshot, snapshotCheckout } from './snapshot.ts';

export interface GitWorkspaceOptions {
  /** `$PAWL_HOME`: trees go to `worktrees/` below it. */
  readonly home: string;
  /**
   * What git inherits (PATH, HOME, XDG_CONFIG_HOME, …); `GIT_*` is removed from it. Default: a
   * plain login's PATH and HOME.
   */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** See {@link PlaceOptions}. */
  readonly isolated?: boolean;
  /** Untracked files above this stay out of snapshots and are reported. Default 50 MB. */
  readonly untrackedBytesMax?: number;
}

/** Git's side of a run; see {@link Workspace}. */
export function gitWorkspace(options: GitWorkspaceOptions): Workspace {
  const place = placeOf(options);
  return {
    inspect: (directory) => inspect(place, directory),
    ignored: (root, paths) => ignoredOf(place, root, paths),
    resolve: async (root, revision) => {
      await needRepository(place, root);
      return commitOf(place, revision, { cwd: root });
    },
    snapshotCheckout: (root, base) => snapshotCheckout(place, root, base),
    openTree: (request) => openTree(place, request),
    locate: (root, branch) => locate(place, root, branch),
    snapshot: (tree, message) => snapshot(place, tree, message),
    findings: (tree, policy, before) => findings(place, tree, policy, before),
    fingerprint: (root) => fingerprint(place, root),
    treeFingerprint: (tree) => treeFingerprint(place, tree),
    restore: async (tree, paths) => {
      if (tree.base === null) return;
      await restoreTo(place, await prove(place, tree), tree.base, paths);
    },
    putBack: (tree, request) => putBack(place, tree, request),
    keptRefs: (root, run) => keptRefs(place, root, run),
    salvage: (tree, execution) => salvage(place, tree, execution),
    quarantine,
    leftFiles: (directory, globs) => leftFiles(directory, globs),
    changedFiles: (root, from, to) => changedFiles(place, root, [from, to]),
    patch: (root, from, to, bytesMax) => patch(place, { root, from, to }, bytesMax),
    commitsSince: (root, from, branch) => commitsSince(place, root, [from, branch]),
    sameTree: (root, a, b) => sameTree(place, root, [a, b]),
    treeOf: (root, commit) => treeIdOf(place, commit, { cwd: root }),
    land: (request) => land(place, request),
    remote: (root, into) => remoteOf(place, root, into),
    propose: (request) => propose(place, request),
    prunable: (root, runs) => prunable(place, root, runs),
    prune: (item) => prune(place, item),
  };
}
