/**
 * The one interface of every surface (CLI, UI, MCP, library): in-process by `engine/client`,
 * later HTTP. Every command carries a principal; the engine's edge decides who may (DESIGN §11a).
 */
import type { Definition } from '../domain/definition/definition.ts';
import type { Execution } from '../domain/execution/state.ts';
import type { NoWork } from '../domain/health/health.ts';
import type { ApprovalId, Commit, Digest, ExecutionId, Instant, RunId } from '../domain/ids.ts';
import type { Principal } from '../domain/principal/principal.ts';
import type { Grants } from '../domain/run/message.ts';
import type {
  AttemptSummary,
  Counters,
  Disposition,
  Gate,
  Granted,
  Notices,
  ParkReason,
  Phase,
  RunStatus,
  Spent,
  WaitReason,
} from '../domain/run/state.ts';
import type { Head } from './heads.ts';
import type { AuditReport, SeatRow, StoredEvent } from './store.ts';
import type { Landing, PruneItem } from './workspace.ts';

export interface Audit extends Omit<AuditReport, 'heads' | 'unsigned' | 'archived'> {
  /** Streams that were archived, whose record is signed by the key of this installation. */
  readonly archived: number;
  /** Those that the chains were held against, with their signed statements: worth keeping. */
  readonly heads: readonly (Head & { readonly statement: string })[];
  /** One sentence each. */
  readonly cannotProve: readonly string[];
}

export interface Client {
  start(request: StartRequest, principal: Principal): Promise<RunView>;
  hint(
    run: RunId,
    text: string,
    principal: Principal,
    when?: 'next-turn' | 'next-attempt',
  ): Promise<RunView>;
  pause(run: RunId, now: boolean, principal: Principal): Promise<RunView>;
  resume(run: RunId, request: ResumeRequest, principal: Principal): Promise<RunView>;
  /** `now`: the lane's tree is ended without being asked to end first. */
  cancel(run: RunId, note: string, principal: Principal, now?: boolean): Promise<RunView>;
  accept(run: RunId, reason: string, principal: Principal): Promise<RunView>;
  answer(run: RunId, text: string, principal: Principal): Promise<RunView>;
  /**
   * Human only. Asks a council about a parked run: what it says comes as events, and nothing of the
   * run is decided by it. Null: the usual profiles. Asked again, it is the same council.
   */
  consult(run: RunId, profiles: readonly string[] | null, principal: Principal): Promise<RunView>;
  /** Of the open gate of the run, and of no other than was looked at. */
  resolveGate(run: RunId, answer: GateAnswer, principal: Principal): Promise<RunView>;
  /** A new run with `resumedFrom`; a parked one is cancelled by it. */
  retry(run: RunId, request: RetryRequest, principal: Principal): Promise<RunView>;
  recordLanding(
    run: RunId,
    landing: {
      readonly commit: Commit;
      readonly into: string;
      readonly method: string;
      readonly reverified: boolean;
      readonly url?: string;
      readonly kept?: true;
    },
    principal: Principal,
  ): Promise<RunView>;
  /**
   * Human only. Re-verifies the merged tree when asked or when the target moved; a failure changes
   * nothing.
   */
  land(run: RunId, request: LandOptions, principal: Principal): Promise<Landing>;
  /** What may be removed, and why that is safe. */
  prunable(filter: PruneFilter): Promise<readonly PruneItem[]>;
  /** Human only. */
  prune(
    items: readonly PruneItem[],
    principal: Principal,
  ): Promise<{ readonly freedBytes: number }>;
  /** A gate verb that was refused before it got here is recorded on the run all the same. */
  recordRefusal(run: RunId, command: string, refused: Principal): Promise<void>;

  /** @throws RequestError `run.not_found`, `run.ambiguous` (with the candidates). */
  find(reference: RunReference): Promise<RunView>;
  list(filter: ListFilter): Promise<readonly RunView[]>;
  events(run: RunId, after: number, limit: number): Promise<readonly StoredEvent[]>;
  definition(run: RunId): Promise<Definition>;
  artifact(digest: Digest): Promise<Uint8Array | null>;
  /**
   * Journal lines of one execution after `after`, from the living spool or from its artifact;
   * bounded by `limit`.
   */
  log(execution: ExecutionId, after: number, limit: number): Promise<LogPage>;
  /** The seats whose holders live. */
  drivers(): Promise<readonly DriverSeat[]>;
  /** The chains, and the chains against the heads that were signed. */
  audit(): Promise<Audit>;
  /** Makes sure that a driver lives; a no-op when one does. */
  ensureDriver(): Promise<void>;
  close(): Promise<void>;
}

/** The sweep of a driver that failed so often in a row that it is made less often. */
export interface FailingSweeps {
  readonly count: number;
  readonly detail: string;
  readonly since: Instant;
}
export type DriverSeat = SeatRow & { readonly failingSweeps?: FailingSweeps };

export interface StartRequest {
  readonly definition: Definition;
  readonly detached: boolean;
  readonly resumedFrom: RunId | null;
  readonly from: Commit | null;
}
export interface GateAnswer {
  /** What was shown; null: whatever waits now. */
  readonly approval: ApprovalId | null;
  readonly outcome: 'approved' | 'rejected';
  readonly note: string | null;
  /** A lane's call: the same call again is allowed for the whole run. */
  readonly forRun?: true;
}
export interface LandOptions {
  /** Null: the branch that the base was taken from. */
  readonly into: string | null;
  /** `pr`: the branch is pushed and a draft pull request is opened; no branch here moves. */
  readonly method: 'squash' | 'merge' | 'ff' | 'pr';
  readonly message: string | null;
  readonly reverify: boolean;
  /** `prune` leaves the tree and the branch of the run. */
  readonly keep?: boolean;
}
export interface PruneFilter {
  readonly project: string | null;
  readonly olderThanMs: number | null;
  readonly landedOnly: boolean;
}
export interface RetryRequest {
  readonly definition: Definition;
  readonly from: 'last' | 'base';
  readonly detached: boolean;
}
export interface ResumeRequest {
  readonly grants: Grants;
  readonly hint: string | null;
  readonly verifyNow: { readonly commit: Commit } | null;
  readonly restore: boolean;
  readonly allow: readonly string[];
  readonly happened: boolean | null;
  readonly fresh: boolean;
  readonly now: boolean;
  readonly fromAttempt: number | null;
  /** Id or name of the worker that it goes on on; absent: whoever may. */
  readonly on?: string;
}
export interface LogPage {
  readonly lines: readonly LogLine[];
  /** The execution has ended: nothing will follow the last line. */
  readonly ended: boolean;
}
export interface LogLine {
  /** Counts from 1 within the execution; what `after` compares with. */
  readonly seq: number;
  readonly at: Instant;
  /** `stdout`, `stderr`, or the kind of a record of ours (`started`, `exit`, …). */
  readonly kind: string;
  /** Redacted. */
  readonly text: string;
}
export interface RunReference {
  /** Id prefix (at least 3 characters), unique name, or `@last`. */
  readonly text: string;
  /** Absolute path of a project's root: only its runs count. */
  readonly project: string | null;
}
export interface ListFilter {
  /** Absolute path of a project's root; null: every project. */
  readonly project: string | null;
  readonly open: boolean;
  readonly status: readonly RunStatus[];
  readonly since: Instant | null;
  readonly limit: number;
  readonly demo: boolean;
}

/** A run as every surface shows it. */
export interface RunView {
  readonly id: RunId;
  /** Shortest unique prefix of the id, at least 4 characters. */
  readonly short: string;
  readonly name: string;
  /** Absolute path of the project's root (`definition.project.root`). */
  readonly project: string;
  readonly goal: string;
  /** Who works: `<profile>@<agent>[:model]`. */
  readonly maker: string;
  readonly status: RunStatus;
  readonly phase: Phase | null;
  readonly disposition: Disposition | null;
  readonly reason: ParkReason | null;
  readonly detail: string | null;
  /** Since when it needs a human; null: it does not. */
  readonly since?: Instant | null;
  readonly waiting: {
    readonly reason: WaitReason;
    readonly until: Instant;
    /** Why, in one line; no capacity: which group, how full, how many before it. */
    readonly detail: string;
    /** No worker is there that may take its job. */
    readonly isForWorker?: true;
  } | null;
  /** When the limit ends that this run waits for, or was paused for (`onLimit: stop`). */
  readonly resumesAt: Instant | null;
  /** Parked for drift or a protected change: the paths (at most 20). */
  readonly paths: readonly string[];
  /** It proves nothing and is never complete; absent: it is a real run. */
  readonly dryRun?: true;
  /** Cancelled: refused before anything was spent, by somebody, or as the end of a dry run. */
  readonly cancelCause: 'refused' | 'cancelled' | 'dry_run' | null;
  readonly gate: Gate | null;
  /** Digest of its definition; absent: of an older program. */
  readonly definition?: Digest;
  /** A pause was asked for and the job has not ended yet. */
  readonly pausing?: boolean;
  /**
   * Active, and yet nothing will move it: which rows are missing (RR-33). Absent: it advances,
   * waits for a human or has ended. A driver hands such a run to its operator after its grace.
   */
  readonly noWork?: { readonly reason: NoWork; readonly detail: string };
  readonly attempt: { readonly n: number; readonly max: number | null };
  readonly attempts: readonly AttemptSummary[];
  readonly best: number | null;
  readonly counters: Counters;
  readonly granted: Granted;
  /** Its active time as of this view: a stretch that still goes on is counted up to now. */
  readonly spent: Spent;
  readonly base: Commit | null;
  readonly baseBranch: string | null;
  readonly branch: string | null;
  readonly head: Commit | null;
  readonly baseline: {
    readonly outcome: string;
    readonly summary: string;
    readonly receipt: Digest | null;
  } | null;
  readonly verification: 'passed' | 'overridden' | null;
  readonly receipt: Digest | null;
  readonly text: Digest | null;
  /** Parked: its page as a driver kept it; absent: none has yet, or it is not parked. */
  readonly escalation?: Digest;
  /** Could be landed, but its receipt is not whole any more; absent: it is. */
  readonly receiptDamaged?: true;
  readonly landed: { readonly commit: Commit; readonly into: string } | null;
  /** Pushed for a pull request into that branch; absent: never. */
  readonly proposed?: { readonly into: string; readonly url: string | null };
  readonly execution:
    | (Execution & {
        readonly signals: string | null;
        readonly beatAgeMs: number | null;
        /**
         * Its holder is a process of this machine that is no more; absent: it is, or is not known.
         */
        readonly holderGone?: true;
      })
    | null;
  /** On whose machine its work tree lies; absent: on one of the server's own, or nowhere yet. */
  readonly worker?: { readonly id: string; readonly name: string };
  readonly unproven: readonly ExecutionId[];
  /** The run that this one goes on from (`retry`); absent: none. */
  readonly resumedFrom?: RunId;
  /** The run that took this one's place, when a retry ended it parked; absent: none. */
  readonly retriedAs?: RunId;
  readonly startedBy: { readonly kind: string; readonly actor: string };
  readonly startedAt: Instant;
  readonly endedAt: Instant | null;
  readonly updatedAt: Instant;
  readonly version: number;
  /** False: work is ready and no process does it. */
  readonly driver: SeatRow | null;
  /** The newest refusal of a gate verb, for `show` and `status`. */
  readonly refusedGates: number;
  /**
   * Gate verbs accepted from a terminal whose ancestors could not be told (threat model), oldest
   * first, at most 20.
   */
  readonly ancestryUnknown: readonly string[];
  /** Where somebody was told of this run, and what did not arrive; absent: nobody was. */
  readonly notices?: Notices['told'];
  /**
   * What can be done about a parked run, best first; whole command lines with the short id. Empty
   * unless parked.
   */
  readonly options: readonly { readonly command: string; readonly effect: string }[];
}
