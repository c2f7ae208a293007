/** The verifier that the runtime itself is: clean check trees, prepared environments, receipts. */

import type { Definition } from '../domain/definition/definition.ts';
import type { JobResult } from '../domain/execution/state.ts';
import type { ApprovalId, Commit, Digest, ExecutionId, RunId } from '../domain/ids.ts';
import type { Verdict } from '../domain/verdict/verdict.ts';
import type { CancelSignal } from '../kernel/cancel-signal.ts';
import type { FilesLeft, PutBack } from './workspace.ts';

export interface Checks {
  /**
   * Setup and every runtime criterion on the base commit; kept and reused for the same tree,
   * command and environment key.
   */
  baseline(request: CheckRequest): Promise<Extract<JobResult, { kind: 'prepared' }>>;
  /** Runs the named criteria on the recorded commit; never throws for what a check does. */
  verify(request: CheckRequest & { readonly criteria: readonly number[] }): Promise<Verdict>;
  /** States in a signed receipt what a human said who looked at the recorded commit. */
  attest(asked: Attestation): Promise<Digest>;
  /** States in a signed artifact which files a turn left, who made them, and from what (XP-17). */
  attestFiles(asked: FilesAttestation): Promise<Digest>;
  /** What such a statement says; null where it is not here or is not signed by this key. */
  attestedFiles(statement: Digest): Promise<FilesLeft | null>;
  /**
   * Brings the prepared paths into a lane's tree: reflink, else copy, else setup run there; never
   * hardlinks.
   */
  furnish(request: CheckRequest & { readonly directory: string }): Promise<{
    readonly how: 'reflink' | 'copy' | 'setup' | 'none';
    readonly ok: boolean;
    readonly detail: string;
  }>;
}

export interface Attestation {
  readonly run: RunId;
  readonly approval: ApprovalId;
  readonly definition: Definition;
  readonly commit: Commit | null;
  readonly criterion: number;
  /** What he was asked to look at. */
  readonly look: string;
  readonly outcome: 'passed' | 'failed';
  readonly note: string;
  readonly by: string;
  readonly channel: string;
  /** The receipt of what the checks said of the same work before. */
  readonly previous: Digest | null;
}

export interface FilesAttestation {
  readonly run: RunId;
  readonly execution: ExecutionId;
  readonly attempt: number;
  readonly definition: Definition;
  /** The recorded work that they lay beside; null: none was recorded. */
  readonly commit: Commit | null;
  readonly left: FilesLeft;
}

export interface CheckRequest {
  readonly run: RunId;
  readonly execution: ExecutionId;
  readonly definition: Definition;
  readonly commit: Commit | null;
  /** The lane's tree: what `verify.tree: lane` and `isolation: none` check. */
  readonly directory: string | null;
  readonly signal: CancelSignal;
  readonly progress: (line: string) => void;
  readonly restoreProtected: boolean;
  /**
   * Records the work anew with these paths at base, and with what drifted where a human asked for
   * that, so that what is verified is what can land.
   * Absent: they go back in the check tree alone, which only a repetition of a receipt may do.
   */
  readonly putBack?: (entries: readonly string[]) => Promise<PutBack>;
}
