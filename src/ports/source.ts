/**
 * How the source of a run reaches a worker that shares no disk with its repository, and how the
 * work comes back (DESIGN §6): an address and a bundle of what that address lacks; a bundle of the
 * commits that were made. Nothing that a bundle holds is believed before it was looked at.
 */
import type { Commit, ExecutionId, RunId } from '../domain/ids.ts';

/** How a failure begins that no other worker can mend; `pawl help source_unavailable`. */
export const notCarried = 'source_unavailable: the source cannot be carried to a worker';

/** What a worker elsewhere needs in order to have one commit. */
export interface SourceOffer {
  /** Stands for one repository as long as it stays where it is; a worker has a mirror for each. */
  readonly key: string;
  /** Of the project, for people. */
  readonly name: string;
  readonly commit: Commit;
  /** Where the rest of the history can be had without a login; null: the bundle is whole. */
  readonly remote: SourceRemote | null;
  /** Null: the remote, or what the worker has already, holds the commit; or none was asked for. */
  readonly bundle: Uint8Array | null;
  /** Submodules are filled in the repository that was asked, so that they belong to the source. */
  readonly submodules: boolean;
}
export interface SourceRemote {
  readonly url: string;
  /** A full ref there, `refs/heads/main`, whose history the bundle stands on. */
  readonly ref: string;
}

export interface SourceRequest {
  readonly root: string;
  readonly commit: Commit;
  /**
   * What the worker has; commits that are not known here are passed over. Null: it only wants to
   * know which source this is, and no bundle is made.
   */
  readonly have: readonly Commit[] | null;
  /** The remote could not be reached from where the worker is. */
  readonly withoutRemote: boolean;
  /** Its definition leaves submodules empty; absent: those of the checkout are wanted. */
  readonly withoutSubmodules?: true;
}

/** Commits that were made elsewhere, as one bundle. */
export interface WorkBundle {
  readonly run: RunId;
  /** Of the run, as its branch carries it. */
  readonly branch: string;
  readonly execution: ExecutionId;
  readonly root: string;
  /** What the work started from; it is an ancestor of `tip`. */
  readonly from: Commit;
  readonly tip: Commit;
  readonly bundle: Uint8Array;
}

export type BundleRefusal =
  | 'bundle.malformed'
  | 'bundle.too_large'
  | 'bundle.too_many_objects'
  | 'bundle.other_refs'
  | 'bundle.wrong_tip'
  | 'bundle.missing_base'
  | 'bundle.not_sound'
  | 'bundle.unsafe_link'
  | 'bundle.submodule'
  | 'bundle.other_work'
  | 'bundle.not_wanted';

export type Transport<T> =
  | ({ readonly ok: true } & T)
  | { readonly ok: false; readonly reason: BundleRefusal; readonly detail: string };

/** Where the repository of the project is. */
export interface SourceExchange {
  /**
   * Writes nothing but a passing ref of pawl's own.
   * @throws WorldError `source_unavailable` with what cannot be carried: a shallow clone, contents
   * kept by Git LFS, a submodule at an address that no worker can read, a bundle above the bound.
   */
  offer(request: SourceRequest): Promise<SourceOffer>;
  /**
   * Looks at the bundle apart from the repository; only when nothing is wrong with it do its
   * objects come in, under `refs/pawl/incoming/<execution>`, and the branch of the run moves as
   * after a turn on this machine. The same work again is taken in again without effect. Refused:
   * nothing in the repository changed. `isWanted` is asked before each ref moves.
   */
  takeIn(
    work: WorkBundle,
    isWanted: () => Promise<boolean>,
  ): Promise<Transport<{ readonly branch: string }>>;
}

/** Where a worker keeps what it has of other machines' repositories. */
export interface SourceMirrors {
  /** Where the mirror of a source lies, made or not. */
  rootOf(key: string): string;
  /** Commits that the mirror of a source has, newest first, at most 32; none: no mirror yet. */
  known(key: string): Promise<readonly Commit[]>;
  /**
   * Brings the commit into the one bare mirror of its source and answers where that lies: the root
   * of what happens here. Bounded; one at a time for a mirror. A commit that is new here is newer
   * than what trees of the run show, so that none of them is entered again.
   * @throws WorldError `source_unreachable` when the remote does not give it: to be asked for again
   * without a remote.
   */
  bring(offer: SourceOffer, run: RunId): Promise<{ readonly root: string }>;
  /** The commits of `tip` that the other side does not have. */
  pack(request: {
    readonly root: string;
    readonly execution: ExecutionId;
    /** What the work started from. */
    readonly from: Commit;
    readonly tip: Commit;
  }): Promise<Transport<{ readonly bundle: Uint8Array }>>;
}

/** Bounds of one transport, so that neither disk nor memory of the other side is at its mercy. */
export interface BundleLimits {
  readonly bytes: number;
  readonly objects: number;
  /** Of all its objects, unpacked. */
  readonly unpackedBytes: number;
}
