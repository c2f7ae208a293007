/** Where a run goes on, and where it returns to. */
import type { FailureClass } from '../execution/state.ts';
import type { Commit, Digest } from '../ids.ts';
import type { ParkReason } from './park-reasons.ts';

/** Where a run goes on after a wait, a pause, a park. */
export type ResumePoint =
  | { readonly job: 'prepare' }
  | {
      readonly job: 'execute';
      readonly session: 'fresh' | 'resume';
      readonly tree: 'same' | 'new';
      readonly commit: Commit | null;
      /** Protected and out-of-scope paths go back to base before the turn (`--restore`). */
      readonly restore?: true;
    }
  | {
      readonly job: 'verify';
      /** Null: the base itself (only with `allowNoChange`), or a run without git. */
      readonly commit: Commit | null;
      readonly step: number;
      /** The verifier puts protected and out-of-scope paths back to base (`--restore`). */
      readonly restore?: true;
      /** A verification that a human asked for: unless it passes, the run returns here. */
      readonly back?: Back;
    };

/** Where a run returns to when a `--verify-now` did not pass; reason null: it was paused. */
export interface Back {
  readonly reason: ParkReason | null;
  readonly detail: string;
  readonly text: Digest | null;
  readonly class: FailureClass | null;
  readonly paths: readonly string[];
  readonly more: number;
  /** What was asked for brought what lifts the park too: unless it passes, the run goes on. */
  readonly lifted?: true;
  readonly then: Exclude<ResumePoint, { job: 'verify' }> | VerifyPoint;
}

export interface VerifyPoint {
  readonly job: 'verify';
  readonly commit: Commit | null;
  readonly step: number;
}
