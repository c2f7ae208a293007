/**
 * The store: streams of events with a hash chain, the rows that follow from them, and volatile
 * lease rows, in one transaction each (design/store.md). Three real implementations pass one
 * conformance suite: memory, SQLite and PostgreSQL.
 */

import type {
  ExecutionRole,
  ExecutionStatus,
  Holder,
  Job,
  PermissionAnswer,
  Usage,
} from '../domain/execution/state.ts';
import type { ApprovalId, Digest, ExecutionId, GrantId, Instant, RunId } from '../domain/ids.ts';
import type { RunAggregate, StreamEvent } from '../domain/run/aggregate.ts';
import type { TimerKind } from '../domain/run/message.ts';
import type { Disposition, ParkReason, Phase, RunStatus } from '../domain/run/state.ts';
import type { Brand } from '../kernel/brand.ts';
import type { SeatName } from '../kernel/driver-seats.ts';
import type { Result } from '../kernel/result.ts';
import type { Referred } from './artifacts.ts';

export interface StreamCommand {
  readonly run: RunId;
  readonly at: Instant;
  readonly actor: string;
  /** What the issuer saw; refused as `version.moved` when the stream is elsewhere. */
  readonly expectedVersion?: number;
  /** The decision asks how many executions this worker holds; absent: it does not. */
  readonly heldBy?: string;
}

/** Everything that one decision writes. Rows not named stay as they are. */
export interface Change {
  readonly events: readonly StreamEvent[];
  readonly next: RunAggregate;
  readonly rows: Rows;
}

export interface Rows {
  /** Executions that were added or changed by these events, ended ones included. */
  readonly executions: readonly ExecutionRow[];
  readonly setTimers: readonly {
    readonly kind: TimerKind;
    readonly generation: number;
    readonly dueAt: Instant;
  }[];
  readonly clearTimers: readonly TimerKind[];
  readonly openApprovals: readonly ApprovalRow[];
  readonly closeApprovals: readonly {
    readonly id: ApprovalId;
    readonly outcome: string;
    readonly by: string;
    readonly channel: string;
    readonly at: Instant;
  }[];
  readonly references: readonly { readonly name: string; readonly digest: Digest }[];
}

export interface ExecutionRow {
  readonly id: ExecutionId;
  readonly run: RunId;
  readonly n: number;
  readonly role: ExecutionRole;
  readonly attempt: number;
  readonly status: ExecutionStatus;
  readonly class: string | null;
  readonly job: Job;
  readonly fence: number;
  readonly createdAt: Instant;
  /** Set by a grant, null when the lease is dropped. */
  readonly lease: { readonly grantId: GrantId; readonly holder: Holder } | null;
}

export interface ApprovalRow {
  readonly id: ApprovalId;
  readonly run: RunId;
  readonly kind: string;
  readonly askedAt: Instant;
  readonly expiresAt: Instant | null;
  /** What a yes to a lane's call is bound to; absent: another kind of gate. */
  readonly bound?: {
    readonly execution: ExecutionId;
    readonly args: string;
    readonly tool: string;
    readonly policy: string;
  };
}

/**
 * Pure and synchronous. A rejection writes nothing. `held`: leases of the worker that the command
 * names (`heldBy`), counted in the transaction that writes, so that no other process and no other
 * command can take one in between; 0 where none is named.
 */
export type Decide<C extends StreamCommand, R> = (
  aggregate: RunAggregate,
  command: C,
  held: number,
) => Result<Change, R>;

export type Settled<R> =
  | { readonly kind: 'committed'; readonly version: number; readonly next: RunAggregate }
  | { readonly kind: 'rejected'; readonly rejection: R; readonly next: RunAggregate }
  | { readonly kind: 'version_moved'; readonly version: number }
  /** Thrown by `decide` for this command alone; nothing of it was written. */
  | { readonly kind: 'threw'; readonly error: unknown }
  /** The store could not commit this command, alone or in company. */
  | { readonly kind: 'unavailable'; readonly error: unknown };

export interface Store {
  /**
   * Machines share it: any number of drivers pull at once, each row is claimed as it is taken, and
   * a lease ends by the clock of the store. Else one driver is elected, on the one machine.
   */
  readonly isShared: boolean;
  /**
   * Decides and writes all of `commands` in one transaction, in order, without await between load
   * and commit; promises settle only after the commit. A failed commit is decided again one by
   * one, bounded, so that one poisonous command cannot take its neighbours down. A busy database is
   * retried with jitter for at most 10 s.
   */
  transact<C extends StreamCommand, R>(
    commands: readonly C[],
    decide: Decide<C, R>,
  ): Promise<readonly Settled<R>[]>;
  /** Compare-and-set on the lease row; touches no event. */
  heartbeat(beat: Heartbeat): Promise<HeartbeatAnswer>;
  /**
   * Decides expired every lease that was not renewed for its ttl as the store's own clock counts
   * it, and answers those that are held and decided expired. From then on their heartbeats are
   * refused as stale, so whoever asks may lose them at once. A store without such a clock (SQLite,
   * memory) answers those that {@link Store.expireSilent} decided.
   */
  expireLeases(): Promise<readonly OpenExecution[]>;
  /**
   * Decides expired a lease whose beat still is the one that an observer saw stand still for its
   * ttl, by the observer's own monotonic clock; from then on its heartbeats are refused as stale.
   * False: it has beaten since, or is held no more. A store that counts leases by its own clock
   * answers false and decides nothing.
   */
  expireSilent(seen: Pick<OpenExecution, 'id' | 'lease' | 'beat'>): Promise<boolean>;
  /**
   * DISPATCHED and not offered, or the offer has lapsed: sets `offeredUntil`; false when lost. With
   * `turn`, in the same command, only while that seat has that holder.
   */
  offer(execution: ExecutionId, now: Instant, until: Instant, turn?: Seat): Promise<boolean>;
  loadRun(
    run: RunId,
  ): Promise<{ readonly version: number; readonly aggregate: RunAggregate } | null>;
  runs(filter: RunFilter): Promise<readonly RunRow[]>;
  events(run: RunId, after: number, limit: number): Promise<readonly StoredEvent[]>;
  /**
   * Across all runs: what a follower reads, each event once; null: from the first on. An event is
   * shown when none can come before it any more; those of one run come by version.
   */
  eventsAfter(position: Position | null, limit: number): Promise<readonly StoredEvent[]>;
  /** Whether there is, or was, an event at that place or after it. */
  reaches(position: Position): Promise<boolean>;
  /**
   * Calls soon after a commit that this store has heard of: a hint that there is something to read.
   * Hints may be lost, and may come for nothing; whoever follows reads from time to time as well.
   * Returns what ends it.
   */
  hints(listener: () => void): () => void;
  dispatchable(now: Instant, limit: number): Promise<readonly ExecutionRow[]>;
  openExecutions(): Promise<readonly OpenExecution[]>;
  execution(id: ExecutionId): Promise<OpenExecution | null>;
  timersDue(now: Instant, limit: number): Promise<readonly DueTimer[]>;
  /** Every timer of one run, due or not. */
  timersOf(run: RunId): Promise<readonly DueTimer[]>;
  /** The earliest due timer, for the length of a sleep. */
  nextTimer(): Promise<Instant | null>;
  openApprovals(): Promise<readonly ApprovalRow[]>;
  /** A refused callback: at most 50 rows an execution, then the newest row counts (`n`). */
  recordEvidence(refusal: Evidence): Promise<void>;
  /** Oldest first. */
  evidence(execution: ExecutionId): Promise<readonly EvidenceRow[]>;
  /** Those of `digests` that no row refers to; what the collector of artifacts asks. */
  unreferenced(digests: readonly Digest[]): Promise<readonly Digest[]>;
  /** Whether a row of that run refers to it. */
  refers(run: RunId, digest: Digest): Promise<boolean>;
  /** What rows refer to, each digest once, in their order. */
  referred(after: Digest | null, limit: number): Promise<readonly Referred[]>;
  /** Streams whose events since were not held against their references, from `after` on. */
  unlisted(after: number, limit: number): Promise<readonly UnlistedStream[]>;
  /** Adds references that an older program left out; the stream is listed to that version. */
  keepListed(
    stream: Pick<UnlistedStream, 'run' | 'version'>,
    references: Rows['references'],
  ): Promise<void>;

  /** Takes or keeps a seat if it is free, ours, or `held` is proven dead. */
  takeSeat(
    seat: Seat,
    takeOver: SeatRow | null,
  ): Promise<{ readonly ours: boolean; readonly row: SeatRow | null }>;
  beatSeat(seat: Seat): Promise<boolean>;
  leaveSeat(seat: Seat): Promise<void>;
  seats(): Promise<readonly SeatRow[]>;

  /** Heads of parked and ended runs that no kept statement is about; oldest run first. */
  unsignedHeads(limit: number): Promise<readonly StreamHead[]>;
  /** Refers to the signed statement of that head; the same again changes nothing. */
  keepHead(head: Omit<StreamHead, 'hash'>, statement: Digest): Promise<void>;

  /** Small durable facts beside the streams: who is enrolled, keys; at most 64 KB. Null: none. */
  fact(name: string): Promise<string | null>;
  /** Those whose names begin so, by name. */
  facts(prefix: string, limit: number): Promise<readonly Fact[]>;
  /** Sets it (null: removes it) while it still is `expected`; false: another was faster. */
  swapFact(name: string, expected: string | null, value: string | null): Promise<boolean>;

  /**
   * Runs that ended before that instant, with `seq` above `after`, and no execution open; the one
   * with the newest event of the store is left out.
   */
  endedRuns(after: number, before: Instant, limit: number): Promise<readonly EndedRun[]>;
  /** The chain as it is kept, erased events too, by version. */
  chain(run: RunId, after: number, limit: number): Promise<readonly RawEvent[]>;
  /**
   * Deletes what the store has of an ended run, but for its entry in the registry of streams, the
   * references to its receipts, its escalations and the archive, and the record of where it went.
   * False: it is not there, not ended, or not at that version any more; nothing was changed.
   */
  archive(stream: ArchivedStream): Promise<boolean>;
  /** Those whose id begins so (at least 3 characters), by id. */
  archivedRuns(prefix: string, limit: number): Promise<readonly ArchivedStream[]>;

  /** Checks every chain, its head and the registry of streams; lists what heads are kept. */
  audit(): Promise<AuditReport>;
  /** Writes what was handed in before, then lets go of the store; later calls are refused. */
  close(): Promise<void>;
}

export interface Seat {
  readonly seat: SeatName;
  readonly holder: Holder;
  readonly version: string;
}
export type SeatRow = Seat & { readonly beat: number; readonly since: Instant };

export interface Heartbeat {
  readonly execution: ExecutionId;
  readonly grantId: GrantId;
  readonly beat: number;
  /** JSON, at most 1 KB. */
  readonly signals: string;
  readonly usage: Usage | null;
}
export type HeartbeatAnswer =
  | {
      readonly ok: true;
      readonly cancel: boolean;
      readonly pause: boolean;
      /** The tree is ended at once: nobody waits for the lane to end by itself. */
      readonly now?: true;
      /** To what its lane asked for last; told with every beat, so that none is lost. */
      readonly answer?: PermissionAnswer;
      /** How often its lane was nudged, told with every beat; absent: never. */
      readonly nudges?: number;
    }
  | { readonly ok: false; readonly reason: 'grant.stale' | 'execution.not_open' };

export interface RunFilter {
  readonly project?: string;
  readonly open?: boolean;
  readonly status?: readonly RunStatus[];
  readonly since?: Instant;
  /** Id prefix (at least 3 characters) or exact name. */
  readonly match?: string;
  readonly limit: number;
}

export interface RunRow {
  readonly id: RunId;
  readonly name: string;
  readonly project: string;
  readonly status: RunStatus;
  readonly phase: Phase | null;
  readonly disposition: Disposition | null;
  readonly reason: ParkReason | null;
  readonly version: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly aggregate: RunAggregate;
}

/** Where a follower of all events stands; made by a store, and understood by that one alone. */
export type Position = Brand<string, 'Position'>;

export interface StoredEvent {
  readonly position: Position;
  readonly run: RunId;
  readonly version: number;
  readonly actor: string;
  readonly at: Instant;
  readonly event: StreamEvent;
}

export interface OpenExecution extends ExecutionRow {
  readonly offeredUntil: Instant | null;
  readonly beat: number;
  readonly signals: string | null;
  readonly usage: Usage | null;
}

export interface DueTimer {
  readonly run: RunId;
  readonly kind: TimerKind;
  readonly generation: number;
  readonly dueAt: Instant;
}

export interface Evidence {
  readonly execution: ExecutionId;
  readonly verb: string;
  readonly reason: string;
  readonly grantPresented: string | null;
  readonly digest: string | null;
  readonly at: Instant;
}
export type EvidenceRow = Evidence & { readonly n: number };

export interface Fact {
  readonly name: string;
  readonly value: string;
}

export interface UnlistedStream {
  /** Grows with the age of runs: where the next page begins. */
  readonly seq: number;
  readonly run: RunId;
  readonly version: number;
}

/** Where a stream ends. */
export interface StreamHead {
  readonly run: RunId;
  readonly version: number;
  /** Hash of the chain at that version, in hex. */
  readonly hash: string;
}

/** A signed statement that is kept, and what the chain says today. */
export interface KeptHead {
  /** Null when the stream is gone. */
  readonly run: RunId | null;
  readonly version: number;
  /** Null when the chain does not reach that version. */
  readonly hash: string | null;
  readonly statement: Digest;
}

export interface EndedRun extends StreamHead {
  /** Grows with the age of runs: where the next page begins. */
  readonly seq: number;
  readonly aggregate: RunAggregate;
}

/** A link of the chain. */
export interface RawEvent {
  readonly version: number;
  readonly type: string;
  readonly format: number;
  readonly at: number;
  readonly actor: string;
  /** Null together with `data` once erased. */
  readonly salt: string | null;
  readonly data: string | null;
  readonly dataHash: string;
  readonly hash: string;
}

/** A stream that is in the registry alone, since its run was archived. */
export interface ArchivedStream extends StreamHead {
  readonly archive: Digest;
  /** The signed head with the digest of the archive. */
  readonly statement: string;
  /** ISO 8601; null where an earlier pawl archived it, which kept no such word. */
  readonly at: string | null;
}

export interface AuditReport {
  readonly streams: number;
  readonly events: number;
  readonly erased: number;
  readonly heads: readonly KeptHead[];
  /** Streams whose end no kept statement is about. */
  readonly unsigned: number;
  /** Streams of which nothing but their record of archive is there. */
  readonly archived: readonly ArchivedStream[];
  /** Each names the stream, the version where it shows, and what is wrong. */
  readonly problems: readonly {
    readonly stream: string;
    readonly version: number | null;
    readonly what: string;
  }[];
}
