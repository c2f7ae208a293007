/** Commands, events, work, rejections of a run. `at` and `principal` come with every command. */
import type { Refusals } from '../../kernel/refusals.ts';
import type { SharedBudget } from '../budget/shared.ts';
import type { NoticeKind } from '../definition/definition.ts';
import type {
  AttestedFiles,
  FailureClass,
  Finding,
  LaneEnd,
  ProofStrength,
  Usage,
  VerdictFacts,
} from '../execution/state.ts';
import type { ApprovalId, Commit, Digest, ExecutionId, Instant, RunId } from '../ids.ts';
import type { Principal, PrincipalKind } from '../principal/principal.ts';
import type { Consult, CouncilEvent } from './council-message.ts';
import type { EscalationRecorded, RecordEscalation } from './escalation-message.ts';
import type { JobEnd } from './job-end.ts';
import type { OpenPermission, PermissionAnswered, VoidPermission } from './permission-message.ts';
import type {
  AttemptSummary,
  Disposition,
  Gate,
  Granted,
  ParkReason,
  ResumePoint,
  RunTerms,
  WaitReason,
} from './state.ts';
import type { NoCapacity, RecoveryAction, TimerKind, Undispatched } from './work.ts';

interface Issued {
  readonly at: Instant;
  readonly principal: Principal;
}

/** What a resume widens; every field is an addition to what is granted. */
export interface Grants {
  readonly attempts?: number;
  readonly costUsd?: number;
  readonly tokens?: number;
  readonly steps?: number;
  readonly timeMs?: number;
}

export interface ResumeOptions {
  readonly grants: Grants;
  /** Digest of a hint's text. */
  readonly hint?: Digest;
  readonly verifyNow?: { readonly commit: Commit };
  readonly restore?: boolean;
  readonly allow?: readonly string[];
  readonly happened?: boolean;
  readonly fresh?: boolean;
  /** Ends a wait now. */
  readonly now?: boolean;
  readonly fromAttempt?: number;
  /** The worker that it goes on on, and no other until the next resume. */
  readonly on?: string;
}

export type RunCommand = Issued &
  (
    | {
        readonly type: 'start';
        readonly run: RunId;
        readonly name: string;
        readonly project: string;
        readonly definition: Digest;
        readonly terms: RunTerms;
        readonly resumedFrom: RunId | null;
        /** Where a retry goes on from (`--from last`); null: base. */
        readonly from: Commit | null;
      }
    /** `nextAttempt`: the attempt that is worked on does not get it. */
    | { readonly type: 'hint'; readonly text: Digest; readonly nextAttempt?: true }
    | { readonly type: 'pause'; readonly now: boolean }
    | { readonly type: 'resume'; readonly options: ResumeOptions }
    /** `leased: false`: no host holds the present execution, so the cancel is immediate. */
    | {
        readonly type: 'cancel';
        readonly note: string;
        /** The lane's tree is ended at once, without being asked to end first. */
        readonly now?: true;
        readonly leased?: boolean;
        /** The run that takes this one's place. */
        readonly retriedAs?: RunId;
      }
    | { readonly type: 'accept'; readonly reason: string }
    | { readonly type: 'answer'; readonly text: Digest }
    | {
        readonly type: 'resolve_gate';
        readonly approval: ApprovalId;
        readonly outcome: 'approved' | 'rejected';
        readonly note: Digest | null;
        readonly summary: string;
        readonly receipt?: Digest;
        /** A lane's call: the same call again is allowed for the whole run. */
        readonly forRun?: true;
      }
    | Consult
    | OpenPermission
    | VoidPermission
    | {
        readonly type: 'record_landing';
        readonly commit: Commit;
        readonly into: string;
        readonly method: string;
        readonly reverified: boolean;
        /** Of the pull request (`method: pr`), where one was opened. */
        readonly url?: string;
        /** `prune` leaves tree and branch. */
        readonly kept?: true;
      }
    /** Automation: what the engine's pullers and the executions report. */
    | {
        readonly type: 'job_ended';
        readonly execution: ExecutionId;
        readonly end: JobEnd;
        /** Uniform in [0, 1): jitter of a back-off; without it the whole back-off is waited. */
        readonly fraction?: number;
      }
    | {
        readonly type: 'fire_timer';
        readonly kind: TimerKind;
        readonly generation: number;
        /**
         * `attempt_time`: false when no host holds the execution yet, so its window has not begun.
         */
        readonly claimed?: boolean;
      }
    | ({ readonly type: 'no_capacity' } & NoCapacity)
    /** A budget over runs is spent: the lane that nobody took up yet is not started. */
    | {
        readonly type: 'stop_for_budget';
        readonly budget: SharedBudget;
        readonly detail: string;
      }
    | ({ readonly type: 'fail_dispatch' } & Undispatched)
    | { readonly type: 'park_internal_error'; readonly detail: string }
    | { readonly type: 'record_refusal'; readonly command: string; readonly refused: Principal }
    /** Before anything is sent, so that no notice is sent twice. `about`: version of its event. */
    | {
        readonly type: 'plan_notice';
        readonly about: number;
        readonly kind: NoticeKind;
        readonly to: readonly string[];
      }
    | {
        readonly type: 'record_notice';
        readonly about: number;
        readonly to: string;
        readonly state: 'delivered' | 'not_delivered';
        readonly detail: string;
      }
    /** The machine of the driver stood still; deadlines of a wall clock must not count it. */
    | { readonly type: 'record_sleep'; readonly since: Instant; readonly until: Instant }
    | RecordEscalation
  );

export type { JobEnd } from './job-end.ts';

/** Every event has `at`; the envelope (version, actor, hash) is the store's. */
export type RunEvent = { readonly at: Instant } & (
  | {
      readonly type: 'run.started';
      readonly run: RunId;
      readonly name: string;
      readonly project: string;
      readonly definition: Digest;
      readonly terms: RunTerms;
      readonly startedBy: PrincipalKind;
      readonly actor: string;
      readonly resumedFrom: RunId | null;
      readonly from: Commit | null;
    }
  | {
      readonly type: 'job.dispatched';
      readonly execution: ExecutionId;
      readonly n: number;
      readonly attempt: number;
      readonly point: ResumePoint;
      readonly why: 'first' | 'next' | 'replaced' | 'resumed' | 'retried';
      readonly tries: number;
      readonly parseRetries: number;
    }
  | {
      readonly type: 'baseline.recorded';
      readonly outcome: 'red' | 'green' | 'unrunnable' | 'skipped';
      readonly summary: string;
      readonly receipt: Digest | null;
    }
  | { readonly type: 'criterion.appended'; readonly look: string }
  | {
      readonly type: 'turn.ended';
      readonly attempt: number;
      readonly commit: Commit | null;
      readonly equalsBase: boolean;
      readonly filesChanged: number;
      readonly end: LaneEnd;
      readonly sessionId: string | null;
      readonly journal: Digest | null;
      /** Absent: it was refused nothing, or nothing is known of that. */
      readonly refused?: Refusals;
    }
  /** Files of the turn were attested; they are their maker's, not the run's (EV-67). */
  | {
      readonly type: 'artifacts.attested';
      readonly execution: ExecutionId;
      readonly attempt: number;
      readonly commit: Commit | null;
      readonly artifacts: AttestedFiles;
    }
  | { readonly type: 'usage.recorded'; readonly execution: ExecutionId; readonly usage: Usage }
  | {
      readonly type: 'finding.recorded';
      readonly execution: ExecutionId;
      readonly finding: Finding;
    }
  | {
      readonly type: 'verification.recorded';
      readonly attempt: number;
      readonly step: number;
      readonly execution: ExecutionId | null;
      readonly facts: VerdictFacts;
      readonly verdict: Digest | null;
      readonly by: string;
      /** The work as it was verified, where paths went back to base for it; the new head. */
      readonly head?: Commit;
    }
  | { readonly type: 'attempt.ended'; readonly attempt: AttemptSummary }
  | { readonly type: 'error.signalled'; readonly class: FailureClass; readonly timeout: boolean }
  | { readonly type: 'error.healed' }
  /** A running job is asked to end: the active time or its own window is spent. */
  | {
      readonly type: 'job.stop_requested';
      readonly execution: ExecutionId;
      readonly why: 'wall' | 'window';
    }
  /** A window that has not begun, since nobody claimed the job, is measured anew. */
  | { readonly type: 'job.window_renewed'; readonly execution: ExecutionId }
  | {
      readonly type: 'recovery.recorded';
      readonly execution: ExecutionId;
      readonly class: FailureClass;
      readonly proof: ProofStrength;
      readonly action: RecoveryAction;
      readonly detail: string;
      /** It was asked to end: the class says how it ended, this why. Absent: nobody asked. */
      readonly asked?: 'pause' | 'wall';
      /** What the lost job had recorded of the work. */
      readonly commit?: Commit;
      /** Its end was not awaited longer; the execution itself becomes UNKNOWN. */
      readonly abandoned?: true;
      readonly cleanExit?: true;
    }
  | {
      readonly type: 'run.waiting';
      readonly reason: WaitReason;
      readonly until: Instant;
      readonly generation: number;
      readonly then: ResumePoint;
      /** It stands in the queue of its group. Absent: it waits for something else. */
      readonly slot?: true;
      readonly placed?: true;
      readonly detail: string;
      readonly tries: number;
      readonly parseRetries: number;
      /** The open execution that is taken back (no capacity). */
      readonly withdraws?: ExecutionId;
    }
  | { readonly type: 'gate.reminded'; readonly approval: ApprovalId; readonly count: number }
  | { readonly type: 'gate.opened'; readonly gate: Gate }
  | PermissionAnswered
  | CouncilEvent
  | {
      readonly type: 'gate.resolved';
      readonly approval: ApprovalId;
      readonly outcome: 'approved' | 'rejected' | 'expired' | 'voided';
      readonly by: string;
      readonly channel: string;
      readonly note: Digest | null;
      readonly summary: string;
    }
  | {
      readonly type: 'run.parked';
      readonly disposition: Disposition;
      readonly reason: ParkReason;
      readonly detail: string;
      readonly text: Digest | null;
      readonly class: FailureClass | null;
      readonly then: ResumePoint;
      readonly paths?: readonly string[];
      readonly more?: number;
      /** The open execution that is taken back or asked to end. */
      readonly withdraws?: ExecutionId;
    }
  | {
      readonly type: 'run.resumed';
      readonly granted: Granted;
      readonly by: string;
      readonly channel: string;
      readonly allowed: readonly string[];
      /** What a human says about an outcome that nobody could prove. */
      readonly happened?: boolean;
      /** The work tree as it lay there, recorded for this resume (`--verify-now`); the new head. */
      readonly head?: Commit;
      readonly on?: string;
    }
  | {
      readonly type: 'hint.added';
      readonly text: Digest;
      readonly by: string;
      /** The first attempt that gets it; absent: the next turn. */
      readonly notBefore?: number;
    }
  | { readonly type: 'question.answered'; readonly text: Digest; readonly by: string }
  | { readonly type: 'pause.requested'; readonly by: string; readonly now: boolean }
  | {
      readonly type: 'run.paused';
      readonly then: ResumePoint;
      readonly by: string;
      readonly resumesAt?: Instant;
    }
  | {
      readonly type: 'cancel.requested';
      readonly execution: ExecutionId;
      readonly generation: number;
      readonly by: string;
      readonly note: string;
      /** Said again with `now`, the same cancel only loses its patience. */
      readonly now?: true;
      /** The run that takes its place; absent: none. */
      readonly retriedAs?: RunId;
    }
  | {
      readonly type: 'run.cancelled';
      readonly cause: 'refused' | 'cancelled' | 'dry_run';
      readonly note: string;
      /** The run that takes its place; absent: of a time when the note alone told it. */
      readonly retriedAs?: RunId | null;
      readonly unproven: readonly ExecutionId[];
      /** The open execution that nobody holds, taken back. */
      readonly withdraws?: ExecutionId;
      /** The execution whose end was not awaited longer; it becomes UNKNOWN. */
      readonly abandons?: ExecutionId;
    }
  | {
      readonly type: 'run.completed';
      readonly verification: 'passed' | 'overridden';
      readonly receipt: Digest | null;
      readonly by: string;
      readonly channel: string;
      readonly note: string;
    }
  | {
      readonly type: 'run.landed';
      readonly commit: Commit;
      readonly into: string;
      /** `pr`: proposed by a pull request; nothing has landed by that. */
      readonly method: string;
      readonly reverified: boolean;
      readonly by: string;
      readonly url?: string;
      readonly kept?: true;
    }
  | {
      readonly type: 'principal.refused';
      readonly command: string;
      readonly actor: string;
      readonly channel: string;
      readonly ancestry: string | null;
    }
  | {
      readonly type: 'notice.planned';
      readonly about: number;
      readonly kind: NoticeKind;
      /** Labels of targets, without secrets. */
      readonly to: readonly string[];
    }
  | {
      readonly type: 'notice.recorded';
      readonly about: number;
      readonly kind: NoticeKind;
      readonly to: string;
      readonly state: 'delivered' | 'not_delivered';
      /** At most 200 characters. */
      readonly detail: string;
    }
  | { readonly type: 'machine.slept'; readonly since: Instant; readonly until: Instant }
  | EscalationRecorded
);

export type { RunRejection } from './rejection.ts';
export type { TimerKind, VerifyStepKind, Work } from './work.ts';
