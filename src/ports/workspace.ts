/**
 * Git's side of a run: trees outside the repository, snapshots by plumbing, drift, protected paths,
 * salvage, landing (DESIGN §8). All output is read `-z`; optional locks are off; `GIT_*` is
 * cleaned. No destructive or committing verb runs outside a directory just proven to be ours.
 */

import type { Finding } from '../domain/execution/state.ts';
import type { Commit, ExecutionId, RunId } from '../domain/ids.ts';
import type { CancelSignal } from '../kernel/cancel-signal.ts';

export interface Workspace {
  /** Reads only; works in linked worktrees, detached, empty, bare and without git. */
  inspect(directory: string): Promise<Checkout>;
  /** Those of the paths (relative to the root) that git ignores and does not track. Reads only. */
  ignored(root: string, paths: readonly string[]): Promise<readonly string[]>;
  /** Resolves a revision to a commit; null when there is none. */
  resolve(root: string, revision: string): Promise<Commit | null>;
  /**
   * A commit of the checkout as it lies there (tracked changes and untracked, not ignored files),
   * made without touching index, branch or checkout.
   */
  snapshotCheckout(root: string, base: Commit): Promise<Commit>;

  /**
   * Makes (or re-enters) the tree of a run and its branch `pawl/<name>-<short>`, cut from `from`.
   * `fresh`: a never-used path by `git clone --local` (a predecessor may still write in the old
   * one).
   * @throws WorkspaceError; nothing was removed.
   */
  openTree(request: TreeRequest): Promise<Tree>;
  /**
   * Where the tree of that branch lies now; null when it was never made or was removed. Reads only.
   */
  locate(root: string, branch: string): Promise<string | null>;
  /**
   * Records the tree as a commit on the run's branch. `commit` is the head of the work afterwards:
   * new, made by the agent itself, or an earlier one; null when it is the base (or `isolation:
   * none`).
   * @throws WorldError `workspace_lost` when the tree is gone or not ours; nothing else is touched.
   */
  snapshot(tree: Tree, message: string): Promise<Snapshot>;
  /** Everything a human should know about what changed since base, against scope and protection. */
  findings(tree: Tree, policy: FindingPolicy, before: CheckoutPrint): Promise<readonly Finding[]>;
  /** State of the main checkout, compared later to find foreign writes. */
  fingerprint(root: string): Promise<CheckoutPrint>;
  /** Digest of HEAD, refs and status of a tree: changed after death was proven means a zombie. */
  treeFingerprint(tree: Tree): Promise<string>;
  /** Puts protected paths back to base in the tree. */
  restore(tree: Tree, paths: readonly string[]): Promise<void>;
  /**
   * A commit of recorded work in which the named paths are back at base; the branch moves there,
   * and so does the work tree in these paths alone. The same commit when nothing had to go back.
   */
  putBack(tree: Tree, request: PutBackRequest): Promise<PutBack>;
  /** What of that run is kept under refs of pawl's own, newest first, at most 50. Reads only. */
  keptRefs(root: string, run: RunId): Promise<readonly KeptRef[]>;
  /**
   * Dirty work to `refs/pawl/lost/<execution>` before any removal; null when there is none. Said
   * again, the ref stays.
   */
  salvage(
    tree: Pick<Tree, 'directory' | 'isolation'>,
    execution: ExecutionId,
  ): Promise<Commit | null>;
  /**
   * The tree of an execution that was lost to another machine: kept as it lies there, and entered
   * by no execution again; the next one gets a new tree. False: there is no tree of ours.
   */
  quarantine(directory: string, execution: ExecutionId): Promise<boolean>;

  /**
   * Files of a folder that the globs name, ignored ones too, as they lie there. Reads only; what is
   * too many, too large or no plain file is among `refused`.
   */
  leftFiles(directory: string, globs: readonly string[]): Promise<FilesLeft>;
  changedFiles(root: string, from: Commit, to: Commit): Promise<readonly ChangedFile[]>;
  patch(root: string, from: Commit, to: Commit, bytesMax: number): Promise<string>;
  /** Commits of `branch` that `from` does not have; null when either is not there. Reads only. */
  commitsSince(root: string, from: Commit, branch: string): Promise<number | null>;
  sameTree(root: string, a: Commit, b: Commit): Promise<boolean>;
  /** The tree that a commit records. @throws WorldError `git_failed` when it is not there. */
  treeOf(root: string, commit: Commit): Promise<string>;

  /**
   * Merges in a scratch tree when the target moved; `verify` judges that tree; only then the branch
   * moves.
   */
  land(request: LandRequest): Promise<Landing>;
  /** Where a push would go; null without a remote. Reads only. */
  remote(root: string, into: string): Promise<Remote | null>;
  /**
   * Pushes the branch and opens a draft pull request by `gh`; without it, or where it refuses, the
   * command that would open it is given. Never forces.
   */
  propose(request: ProposeRequest): Promise<Proposal>;
  /** What may be removed and why that is safe. */
  prunable(root: string, runs: readonly PruneSubject[]): Promise<readonly PruneItem[]>;
  prune(item: PruneItem): Promise<void>;
}

export type Checkout =
  | { readonly git: false; readonly root: string }
  | {
      readonly git: true;
      readonly root: string;
      readonly bare: boolean;
      readonly head: Commit | null;
      readonly branch: string | null;
      /** Tracked changes and untracked, not ignored files; `pawl.yaml` and `.pawl/` never count. */
      readonly dirty: readonly string[];
      readonly upstream: {
        readonly name: string;
        readonly ahead: number;
        readonly behind: number;
      } | null;
      readonly submodules: boolean;
      readonly linkedWorktree: boolean;
    };

export interface TreeRequest {
  readonly root: string;
  readonly run: RunId;
  readonly name: string;
  readonly short: string;
  readonly from: Commit | null;
  readonly base: Commit | null;
  readonly isolation: 'worktree' | 'none';
  readonly submodules: 'auto' | 'on' | 'off';
  readonly copy: readonly string[];
  readonly fresh: ExecutionId | null;
}
export interface Tree {
  /** Whose it is; told where no record beside the tree tells (`isolation: none`). */
  readonly run?: RunId;
  readonly directory: string;
  readonly root: string;
  readonly branch: string | null;
  readonly base: Commit | null;
  /** The tree was made just now, so it needs the prepared paths. */
  readonly created: boolean;
  readonly isolation: 'worktree' | 'none';
  /** What could not be brought along (an unreachable submodule), one line each; made trees only. */
  readonly notes?: readonly string[];
}
export interface Snapshot {
  readonly commit: Commit | null;
  readonly equalsBase: boolean;
  readonly filesChanged: number;
  /**
   * Untracked files left out: too large, secrets by their name, nested repositories, tools'
   * folders.
   */
  readonly leftOut: readonly string[];
}
/** Work on no branch: unfinished, or out of a tree that was lost. */
export interface KeptRef {
  readonly ref: string;
  readonly commit: Commit;
}
export interface PutBackRequest {
  /** The work as it was recorded. */
  readonly commit: Commit;
  /** Globs, paths, and keys of JSON files (`package.json#scripts`). */
  readonly entries: readonly string[];
  /** What lies outside of these globs goes back too; absent: only what the entries name. */
  readonly fileScope?: readonly string[];
  /** What a human allowed to differ, which stays as it is. */
  readonly allowed: readonly string[];
  readonly message: string;
}
export interface PutBack {
  readonly commit: Commit;
  readonly restored: readonly string[];
}
export interface FindingPolicy {
  readonly fileScope: readonly string[];
  readonly protected: readonly string[];
  readonly allowed: readonly string[];
}
export interface LeftFile {
  /** Relative to the folder, with `/`. */
  readonly path: string;
  /** In hex. */
  readonly sha256: string;
  readonly bytes: number;
}
export interface FilesLeft {
  readonly files: readonly LeftFile[];
  /** They fit and are not taken in, each with why. */
  readonly refused: readonly { readonly path: string; readonly why: string }[];
  /** Globs that no plain file fits. */
  readonly missing: readonly string[];
}
/** Opaque; made by `fingerprint`. */
export interface CheckoutPrint {
  readonly head: string | null;
  readonly branch: string | null;
  readonly digest: string;
  readonly paths: Readonly<Record<string, string>>;
  /** Refs of the user; absent: not looked at. */
  readonly refs?: Readonly<Record<string, string>>;
}
export interface ChangedFile {
  readonly path: string;
  readonly status: 'added' | 'modified' | 'deleted' | 'renamed' | 'typechange';
  readonly added: number | null;
  readonly removed: number | null;
}
export interface LandRequest {
  readonly root: string;
  readonly run: RunId;
  readonly branch: string;
  readonly head: Commit;
  readonly base: Commit;
  readonly into: string;
  readonly method: 'squash' | 'merge' | 'ff';
  readonly message: string;
  /** Judges the merged tree at this commit; called only when the target moved, or with `always`. */
  readonly verify:
    | ((commit: Commit) => Promise<{ readonly passed: boolean; readonly summary: string }>)
    | null;
  readonly always?: boolean;
  /** `prune` leaves tree and branch. */
  readonly keep?: boolean;
  /** Only judged: no branch moves and no checkout follows. */
  readonly judgeOnly?: boolean;
}
export interface Remote {
  readonly name: string;
  readonly url: string;
}
export interface ProposeRequest {
  readonly root: string;
  readonly run: RunId;
  readonly remote: Remote;
  readonly branch: string;
  readonly head: Commit;
  readonly into: string;
  readonly title: string;
  /** Markdown. */
  readonly body: string;
}
export interface Proposal {
  readonly remote: string;
  /** Null: it was pushed, and nobody opened the pull request; `command` does. */
  readonly url: string | null;
  readonly command: string;
  /** Why there is no address. */
  readonly why: string | null;
}
export type Landing =
  | {
      readonly ok: true;
      readonly commit: Commit;
      readonly into: string;
      readonly method: string;
      readonly reverified: boolean;
      readonly moved: number;
      readonly proposal?: Proposal;
      /** Submodules whose link moved: no checkout follows by itself. Absent: none. */
      readonly submodules?: readonly string[];
    }
  | {
      readonly ok: false;
      readonly reason:
        | 'conflict'
        | 'check_failed'
        | 'dirty_target'
        | 'target_missing'
        | 'target_moved_again'
        | 'not_ff';
      readonly detail: string;
      readonly moved: number;
      /** Of a `dirty_target`: what is to be done about it differs. */
      readonly hindrance?: 'changed' | 'unfinished' | 'in_the_way';
    };
export interface PruneSubject {
  readonly run: RunId;
  readonly name: string;
  readonly short: string;
  readonly ended: boolean;
  readonly landed: boolean;
  readonly endedAt: number | null;
}
/** What can be made again stays so long without being used, and goes by itself only then. */
export const unusedKeptMs = 14 * 24 * 3_600_000;

export interface PruneItem {
  readonly run: RunId | null;
  readonly path: string;
  /** The branch that goes with the tree (its work has landed); null: the branch is kept. */
  readonly branch: string | null;
  readonly root: string;
  readonly bytes: number;
  readonly safeBecause: string;
  /** Not a tree: so many artifacts of no run, which the engine takes away by itself. */
  readonly artifacts?: number;
}

/**
 * Trees of the runtime's own, one pool per repository, never named to a lane
 * (design/verification.md).
 */
export interface CheckTrees {
  /**
   * Leases a clean tree at exactly `commit`: `checkout --detach -f`, then `clean -ffdx` sparing
   * `keep`, submodules as asked. Waits for a free one; a tree whose holder died is reclaimed.
   */
  lease(request: CheckTreeRequest): Promise<CheckTree>;
  /**
   * Paths below `directory` that exist and belong in no commit, topmost only: what git ignores, and
   * folders that tools make (`node_modules`), ignored or not.
   */
  ignoredPaths(directory: string): Promise<readonly string[]>;
  /** Tracked paths below `directory` that are not as HEAD has them. */
  changedPaths(directory: string): Promise<readonly string[]>;
  /** Untracked paths below `directory` that are none of {@link ignoredPaths}, topmost only. */
  strayPaths(directory: string): Promise<readonly string[]>;
  /** Puts the paths that match the globs back to what they are at `base`. */
  restore(directory: string, base: Commit, globs: readonly string[]): Promise<readonly string[]>;
  /** Content of a file at a commit; null when it is not there. */
  show(root: string, commit: Commit, path: string): Promise<Uint8Array | null>;
  /** Every path at the commit with its object id. */
  list(root: string, commit: Commit): Promise<ReadonlyMap<string, string>>;
  treeOf(root: string, commit: Commit): Promise<string>;
  /**
   * `verify.tree: lane`: brings the lane's own tree to `commit`, untracked removed, ignored kept.
   */
  cleanLaneTree(directory: string, commit: Commit): Promise<void>;
}
export interface CheckTreeRequest {
  readonly root: string;
  readonly commit: Commit;
  readonly keep: readonly string[];
  readonly submodules: 'auto' | 'on' | 'off';
  readonly slots: number;
  readonly signal: CancelSignal;
  /**
   * The repository's private settings are read anew; else those of the last such lease hold, since
   * an agent can have written them meanwhile.
   */
  readonly refresh?: boolean;
}
export interface EmptySubmodule {
  /** `submodule lib: not initialised in the checkout`. */
  readonly note: string;
  /** It is empty in the user's checkout as well, so that checks do without it there. */
  readonly asInCheckout: boolean;
}
export interface CheckTree {
  readonly directory: string;
  /** Submodules that are empty here, one line each with why. */
  readonly emptySubmodules: readonly EmptySubmodule[];
  release(): Promise<void>;
}
