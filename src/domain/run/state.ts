/**
 * A run is one pursuit of one goal under one immutable definition snapshot (DESIGN §4.1).
 *
 * Invariants (property tests in run.property.test.ts are titled by them):
 *   R1. `complete` with verification `passed` only by a typed pass over a recorded commit that is
 *       not equal to the base (unless `allowNoChange`), from an execution of another role.
 *   R2. Only a human lets a run go on from `needs_operator`, `paused` or a human gate (an expiry
 *       timer parks, and who started a run may cancel it). A lane that asks for leave lives on: it
 *       is refused when that expires, it may end by itself, and only a human's yes to that very
 *       call allows it.
 *   R3. Attempts end only by content; an operational failure never spends one.
 *   R4. While active, exactly one of: a job with an open execution, or a stored timer.
 *   R5. `attempts` ended never exceeds the granted maximum.
 *   R6. A terminal run never changes again, except that a complete one may be landed and that
 *       refused gate verbs, notices and what its council still spent are counted.
 *   R7. A cancel always ends; the executions that cannot be proven ended are listed, not forgotten.
 *   R8. Counters never merge and never decrease; only a resume widens what is granted.
 *   R9. What was verified is the head: `complete` with `passed` only where every step looked at the
 *       very commit that is shown, diffed and landed.
 *   R10. A dry run is never complete: no verdict and no human makes it so.
 *   R11. The page of a parking is kept once; until then a stored timer says that it is due.
 *   R12. A council is asked of a parked run alone and changes nothing of it but what is spent; it
 *       is over once the run goes on.
 */
import type { Refusals } from '../../kernel/refusals.ts';
import type { PermissionAsk, PermissionGrant } from '../approval/permission.ts';
import type { Brakes } from '../definition/definition.ts';
import type { FailureClass } from '../execution/state.ts';
import type { ApprovalId, Commit, Digest, ExecutionId, Instant, RunId } from '../ids.ts';
import type { PrincipalKind } from '../principal/principal.ts';
import type { RecoveryTerms } from '../recovery/figures.ts';
import type { Council } from './council-message.ts';
import type { Notices } from './notices.ts';
import type { Disposition, ParkReason } from './park-reasons.ts';
import type { Back, ResumePoint } from './resume-point.ts';

export type { Notices } from './notices.ts';

export type RunStatus =
  | 'active'
  | 'waiting_human'
  | 'paused'
  | 'needs_operator'
  | 'cancelling'
  | 'complete'
  | 'cancelled';

export { type Disposition, type ParkReason, parkReasons } from './park-reasons.ts';
export type { Back, ResumePoint, VerifyPoint } from './resume-point.ts';

export type Phase = 'preparing' | 'planning' | 'executing' | 'verifying' | 'reflecting' | 'waiting';

export type WaitReason = 'rate_limited' | 'backoff' | 'no_capacity' | 'next_tick';

/** What `decide` needs of the definition; bounded, copied at start. */
export interface RunTerms {
  readonly steps: readonly VerificationStep[];
  readonly brakes: Brakes;
  readonly baseline: 'auto' | 'green-ok' | 'skip';
  readonly allowNoChange: boolean;
  readonly onProtected: 'park' | 'ask' | 'restore';
  readonly onLimit: 'wait' | 'stop' | 'ask';
  readonly approvalsExpireMs: number | null;
  readonly recovery: RecoveryTerms;
  /** `<profile>@<agent>[:model]`; the two differ (EV-32). */
  readonly maker: string;
  readonly checker: string | null;
  /** Longest that a prepare or verify job may take: setup and every criterion, twice. */
  readonly checkTimeMs: number;
  /** A refusal in the foreground ends the run; detached it parks (DESIGN §4.1). */
  readonly detached: boolean;
  /** Whether work is recorded in commits: not without git, and not in the user's own folder. */
  readonly git: boolean;
  /** It proves nothing and is never complete (dry-run.ts); absent: it is a real run. */
  readonly dryRun?: true;
  /** Where its jobs may be done; absent: anywhere. */
  readonly placement?: {
    /** Of every job. */
    readonly labels?: readonly string[];
    /** Besides, of the lanes that make, and of those that judge. */
    readonly execute?: readonly string[];
    readonly judge?: readonly string[];
    readonly verifyOn?: 'other-worker';
  };
}

/** Criteria in order, neighbouring command criteria as one step. */
export type VerificationStep =
  | { readonly kind: 'checks'; readonly from: number; readonly to: number }
  | { readonly kind: 'judge'; readonly criterion: number }
  | { readonly kind: 'manual'; readonly criterion: number; readonly look: string };

export interface Counters {
  /** Attempts that ended. */
  readonly attempts: number;
  /** Executions dispatched, of every role; the n of the newest. */
  readonly executions: number;
  readonly resumed: number;
  readonly totalErrors: number;
  /** Errors not healed on their own attempt; what convergence asks about. */
  readonly unhealedErrors: number;
  /** Errors of the attempt now worked on; healed by its next success. */
  readonly attemptErrors: number;
  readonly timeouts: number;
  readonly lastErrorAt: Instant | null;
  /** Of the present job: re-spawns and transfers spent; 0 again with a new job or a resume. */
  readonly requeues: number;
  readonly transfers: number;
  readonly contextOverflows: number;
  readonly cleanExits?: number;
  /** Waits for space of the present job; absent: none. */
  readonly backOffs?: number;
  /** Attempts in a row whose work could not be carried; absent: none. */
  readonly uncarried?: number;
  /** Fence of the newest grant. */
  readonly fence: number;
  /** Approvals ever opened; the n of the newest. */
  readonly approvals: number;
  /** Waits, stretches of active time and cancels that had a timer; the newest generation. */
  readonly timers: number;
}

/** What brakes measure against; a resume widens it. */
export interface Granted {
  readonly attempts: number | null;
  readonly costUsd: number | null;
  readonly tokens: number | null;
  readonly steps: number | null;
  readonly timeMs: number | null;
  readonly waitTimeMs: number;
  /** Longest stay in a queue for a free slot; absent: as long as the definition's `waitTime`. */
  readonly queueTimeMs?: number;
}

export interface Spent {
  readonly costUsd: number;
  readonly costKnown: boolean;
  readonly selfReported: boolean;
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** Active time up to `activeSince`. */
  readonly activeMs: number;
  readonly waitedMs: number;
  /** Waited for a free slot: no limit's waiting time (absent: never). */
  readonly queuedMs?: number;
}

/** One ended attempt, bounded (`summary` ≤ 200 characters); at most the last 100 are kept. */
export interface AttemptSummary {
  readonly n: number;
  readonly outcome: 'passed' | 'failed' | 'overridden';
  readonly summary: string;
  readonly commit: Commit | null;
  readonly receipt: Digest | null;
  readonly failedTests: number | null;
  readonly score: number | null;
  readonly endedAt: Instant;
  /** What its turns asked leave for and did not get; absent: nothing that is known of. */
  readonly refused?: Refusals;
}

/** Why a running job was asked to stop before its end; null: it was not. */
export type Stop = {
  readonly why: 'pause' | 'wall' | 'window';
  readonly since: Instant;
} | null;

export type Stage =
  | { readonly phase: 'preparing'; readonly execution: ExecutionId; readonly stop: Stop }
  | {
      readonly phase: 'executing';
      readonly execution: ExecutionId;
      readonly stop: Stop;
      /** What it was dispatched with, so that it can be dispatched again. */
      readonly point: Extract<ResumePoint, { job: 'execute' }>;
    }
  | {
      readonly phase: 'verifying';
      readonly execution: ExecutionId;
      readonly stop: Stop;
      readonly point: Extract<ResumePoint, { job: 'verify' }>;
      readonly commit: Commit | null;
      readonly step: number;
      /** Spent on missing_evidence, verifier_unavailable, indeterminate (≤ 3); on parsing (≤ 1). */
      readonly tries: number;
      readonly parseRetries: number;
    }
  | {
      readonly phase: 'waiting';
      readonly reason: WaitReason;
      readonly since: Instant;
      readonly until: Instant;
      readonly generation: number;
      readonly then: ResumePoint;
      readonly tries: number;
      readonly parseRetries: number;
      /** It stands in the queue of its group. */
      readonly slot?: true;
      /** No worker is there that may take its job. */
      readonly placed?: true;
      /** What it waits for, in a sentence; absent where the reason says it all. */
      readonly detail?: string;
    };

export type Gate =
  | {
      readonly kind: 'manual';
      readonly approval: ApprovalId;
      readonly look: string;
      readonly commit: Commit | null;
      readonly step: number;
      readonly back?: Back;
      readonly askedAt: Instant;
      readonly expiresAt: Instant | null;
    }
  | {
      readonly kind: 'protected';
      readonly approval: ApprovalId;
      readonly commit: Commit;
      readonly paths: readonly string[];
      readonly askedAt: Instant;
      readonly expiresAt: Instant | null;
    }
  /** A call of a living lane, which waits; the run goes on with it whatever the answer. */
  | {
      readonly kind: 'permission';
      readonly approval: ApprovalId;
      readonly execution: ExecutionId;
      readonly ask: PermissionAsk;
      /** What the lane was dispatched with. */
      readonly point: Extract<ResumePoint, { job: 'execute' }>;
      readonly askedAt: Instant;
      readonly expiresAt: Instant | null;
    };

/** What every living run has. */
export interface RunFacts {
  readonly id: RunId;
  readonly name: string;
  readonly project: string;
  readonly definition: Digest;
  readonly terms: RunTerms;
  readonly startedAt: Instant;
  readonly startedBy: PrincipalKind;
  readonly startedActor: string;
  readonly resumedFrom: RunId | null;
  /** Attempt now worked on; the first is 1. */
  readonly attempt: number;
  readonly counters: Counters;
  readonly granted: Granted;
  readonly spent: Spent;
  /** When the current stretch of active time began; null while not active or while waiting. */
  readonly activeSince: Instant | null;
  readonly attempts: readonly AttemptSummary[];
  readonly best: number | null;
  readonly baseline: {
    readonly outcome: 'red' | 'green' | 'unrunnable' | 'skipped';
    readonly summary: string;
    readonly receipt: Digest | null;
  } | null;
  /** Newest recorded commit of the work. */
  readonly head: Commit | null;
  /** Hints not yet delivered, then all: digests of text artifacts, at most 50. */
  readonly addedContext: readonly Digest[];
  /** Hints for an attempt that has not begun, at most 50; absent: there never was one. */
  readonly heldContext?: readonly { readonly text: Digest; readonly attempt: number }[];
  /** A human or the pause asked for it; acted on between jobs. */
  readonly pauseAsked: boolean;
  readonly sessionId: string | null;
  /** The newest receipt of a verification of the last turn's work. */
  readonly lastReceipt: Digest | null;
  /** The answer to the agent's question, until a turn has ended with it. */
  readonly answer: Digest | null;
  /** `new`: nobody may enter the last lane's tree, unproven, or with work that nobody takes. */
  readonly nextTree: 'same' | 'new';
  /** The newest approval that was resolved: a second answer is told what the first was. */
  readonly resolvedApproval: {
    readonly approval: ApprovalId;
    readonly outcome: string;
    readonly by: string;
  } | null;
  /** Gate verbs refused because no human issued them. */
  readonly refusedGates: number;
  readonly allowedPaths: readonly string[];
  /** Executions whose end nobody could prove, at most 50. */
  readonly unproven: readonly ExecutionId[];
  readonly landed: { readonly commit: Commit; readonly into: string } | null;
  /** Absent until the work was proposed by a pull request. */
  readonly proposed?: { readonly into: string; readonly url: string | null };
  /** The attempt that took a late seal as its result, at most once each (X7); absent: none yet. */
  readonly adoptedIn?: number;
  /** What the newest turn left to be looked at; absent: its definition names no artifacts. */
  readonly attested?: {
    readonly statement: Digest;
    readonly attempt: number;
    readonly commit: Commit | null;
  };
  /** What the turns of the present attempt were refused; absent: nothing. */
  readonly refused?: Refusals;
  /** Absent until a first notice was planned. */
  readonly notices?: Notices;
  /** What a human allowed the lanes of this run to do; absent: nothing yet. */
  readonly permissions?: readonly PermissionGrant[];
  /** The worker that held the newest turn of a lane; absent: there was none yet. */
  readonly madeBy?: string;
  /** The worker that a human sent the run to, until the next resume; absent: none. */
  readonly on?: string;
  /** Opinions that nobody waits for any more and whose lanes have not ended; absent: none. */
  readonly leaving?: readonly ExecutionId[];
  /** Its source reaches no worker: the server's own hosts do its jobs. */
  readonly here?: true;
}

export type RunState =
  | { readonly status: 'unborn' }
  | (RunFacts & { readonly status: 'active'; readonly stage: Stage })
  | (RunFacts & {
      readonly status: 'waiting_human';
      readonly gate: Gate;
      /** How often the operator was reminded of it. */
      readonly reminders: number;
    })
  | (RunFacts & {
      readonly status: 'paused';
      readonly then: ResumePoint;
      /** Set when a limit paused it (`onLimit: stop`): when the limit ends. */
      readonly resumesAt: Instant | null;
    })
  | (RunFacts & {
      readonly status: 'needs_operator';
      readonly disposition: Disposition;
      readonly reason: ParkReason;
      /** At most 200 characters. */
      readonly detail: string;
      /** Question, blocker, file list, in full. */
      readonly text: Digest | null;
      readonly since: Instant;
      readonly class: FailureClass | null;
      /** Drift and protected changes: what `--allow` must cover; at most 20, the rest as `more`. */
      readonly paths: readonly string[];
      readonly more: number;
      readonly then: ResumePoint;
      /** Its page, kept; absent until a driver has made it. */
      readonly escalation?: Digest;
      /** Asked about it, and not done yet; absent: nobody is. */
      readonly council?: Council;
    })
  | (RunFacts & {
      readonly status: 'cancelling';
      readonly since: Instant;
      readonly execution: ExecutionId;
      readonly generation: number;
      readonly note: string;
      /** The holder must not wait for the lane to end by itself. */
      readonly now?: true;
      /** The run that takes its place; absent: none. */
      readonly retriedAs?: RunId;
    })
  | (RunFacts & {
      readonly status: 'complete';
      readonly verification: 'passed' | 'overridden';
      readonly endedAt: Instant;
      readonly receipt: Digest | null;
      readonly note: string;
    })
  | (RunFacts & {
      readonly status: 'cancelled';
      readonly endedAt: Instant;
      readonly cause: 'refused' | 'cancelled' | 'dry_run';
      readonly note: string;
      /** Read by `retriedAs` (retried.ts): an older row has it in its note alone. */
      readonly retriedAs?: RunId | null;
    });

export type LivingRun = Exclude<RunState, { status: 'unborn' }>;
