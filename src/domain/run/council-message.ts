/** What a council is asked about a parked run and what it says; parts of the run's unions. */
import type { FailureClass, ProofStrength } from '../execution/state.ts';
import type { Commit, Digest, ExecutionId, Instant } from '../ids.ts';

/** Human: opinions, and no decision (EV-7, EV-68). Null: the usual council. */
export interface Consult {
  readonly type: 'consult';
  readonly profiles: readonly string[] | null;
}

/** Where an opinion is dispatched: the newest work, which is only read. */
export interface OpinionPoint {
  readonly job: 'consult';
  readonly profile: string;
  readonly commit: Commit | null;
}

/** Whose agent gives the opinions: that of the role that judges, where there is one. */
export interface Advising {
  /** `<agent>[:model]`. */
  readonly agent: string;
  readonly role: 'execute' | 'verify';
}

export interface Council extends Advising {
  readonly profiles: readonly string[];
  /** Those that are awaited; there is no council without one. */
  readonly open: readonly OpenOpinion[];
}

export interface OpenOpinion {
  readonly profile: string;
  readonly execution: ExecutionId;
  readonly n: number;
  readonly dueAt: Instant;
  /** Of this opinion: none of them is the run's. */
  readonly requeues: number;
  readonly transfers: number;
  readonly cleanExits: number;
}

/** An execution that left no opinion and is replaced. */
export interface LostOpinion {
  readonly execution: ExecutionId;
  readonly class: FailureClass;
  readonly proof: ProofStrength;
  readonly detail: string;
  readonly action: 'requeue' | 'transfer';
  readonly cleanExit?: true;
}

export type CouncilEvent =
  | ({
      readonly type: 'council.asked';
      readonly profiles: readonly string[];
      readonly by: string;
      readonly channel: string;
    } & Advising)
  | {
      readonly type: 'opinion.asked';
      readonly profile: string;
      readonly execution: ExecutionId;
      readonly n: number;
      readonly commit: Commit | null;
      /** It is not awaited longer, whatever its host does. */
      readonly dueAt: Instant;
      readonly after?: LostOpinion;
    }
  | {
      readonly type: 'opinion.ended';
      readonly profile: string;
      readonly execution: ExecutionId;
      /** `cancelled`: the run went on. */
      readonly outcome: 'given' | 'unavailable' | 'cancelled';
      readonly text: Digest | null;
      /** Why there is none, at most 200 characters. */
      readonly detail: string;
      readonly proof?: ProofStrength;
      /** Its execution is taken back or asked to end; what it spent comes with `opinion.left`. */
      readonly isLeft?: true;
    }
  | {
      readonly type: 'opinion.left';
      readonly execution: ExecutionId;
      readonly proof: ProofStrength;
    };
