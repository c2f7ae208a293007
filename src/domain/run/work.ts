/** What a decided event calls for beyond itself: the rows that are the work (rule 1). */
import type { PermissionAnswer } from '../execution/state.ts';
import type { ApprovalId, Digest, ExecutionId, Instant } from '../ids.ts';
import type { OpinionPoint } from './council-message.ts';
import type { Gate, ResumePoint } from './state.ts';

export type TimerKind =
  | 'wait'
  | 'active_time'
  | 'attempt_time'
  | 'gate_expiry'
  | 'gate_reminder'
  | 'cancel_deadline'
  /** Its page is to be kept. */
  | 'escalation'
  | 'opinions';

/** A job that is put off: there is no room for it now. */
export interface NoCapacity {
  readonly until: Instant;
  readonly detail: string;
  /** A slot of its group is what it waits for, and not an answer that nobody could give. */
  readonly slot?: true;
  /** A worker that may take it is what it waits for: at most as long as is left of the time. */
  readonly placed?: true;
}

/** A job whose host could not be started. */
export interface Undispatched {
  readonly detail: string;
  /** Absent: the one that the run awaits. */
  readonly execution?: ExecutionId;
}

/** What follows an end that was not a result. */
export type RecoveryAction =
  | 'requeue'
  | 'transfer'
  | 'fresh_session'
  | 'backed_off'
  | 'stopped'
  | 'give_up';

/** What an event calls for; the engine turns it into rows of the same transaction. */
export type Work =
  | {
      readonly kind: 'dispatch';
      readonly execution: ExecutionId;
      readonly n: number;
      readonly attempt: number;
      readonly point: ResumePoint | OpinionPoint;
      readonly step: VerifyStepKind | null;
    }
  /** Withdrawn when nobody holds it, else asked to cancel. */
  | { readonly kind: 'cancel_execution'; readonly execution: ExecutionId }
  /** Its end is not awaited longer: `lose` it, class unknown_outcome, unproven (→ UNKNOWN). */
  | { readonly kind: 'lose_execution'; readonly execution: ExecutionId; readonly detail: string }
  /** What its lane asked for is answered. */
  | {
      readonly kind: 'answer_execution';
      readonly execution: ExecutionId;
      readonly answer: PermissionAnswer;
    }
  /** Every UNKNOWN execution of the run is reconciled with what the human said. */
  | { readonly kind: 'reconcile_executions'; readonly happened: boolean }
  | {
      readonly kind: 'set_timer';
      readonly timer: TimerKind;
      readonly generation: number;
      readonly dueAt: Instant;
    }
  | { readonly kind: 'clear_timer'; readonly timer: TimerKind }
  | { readonly kind: 'open_approval'; readonly gate: Gate }
  | {
      readonly kind: 'close_approval';
      readonly approval: ApprovalId;
      readonly outcome: 'approved' | 'rejected' | 'expired' | 'voided';
      readonly by: string;
      readonly channel: string;
    }
  | { readonly kind: 'reference'; readonly name: string; readonly digest: Digest };

export type VerifyStepKind = 'checks' | 'judge';
