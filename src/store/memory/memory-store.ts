/**
 * A store in memory: the second real implementation of the port, used by the simulation and by
 * tests. Same semantics as the file store (chain, offers, seats, bounded evidence); what it does
 * not have is durability. Every write asks {@link MemoryStoreOptions.onCommit} before and after its
 * commit, so that a simulation can take the process away at either side of it.
 */
import type { Instant, RunId } from '../../domain/ids.ts';
import type { RunAggregate } from '../../domain/run/aggregate.ts';
import { ProductError } from '../../kernel/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type {
  Change,
  Decide,
  Heartbeat,
  HeartbeatAnswer,
  OpenExecution,
  RunFilter,
  RunRow,
  Seat,
  SeatRow,
  Settled,
  Store,
  StoredEvent,
  StreamCommand,
} from '../../ports/store.ts';
import { auditRegistry, auditStream } from '../audit.ts';
import { bounds, endedExecution, endedRun } from '../bounds.ts';
import { hintBoard } from '../hints.ts';
import { boundedEvidence, columnsOf, heartbeatAnswer } from '../projection.ts';
import { matches } from '../run-filter.ts';
import { mayTakeOver, sameHolder } from '../seat-rule.ts';
import { archive, archivedRuns, chain, endedRuns } from './archive.ts';
import { facts } from './facts.ts';
import { countUnsigned, keepHead, keptHeads, unsignedHeads } from './heads.ts';
import { keepListed, referred, unlisted } from './listed.ts';
import {
  applyChange,
  checkChange,
  emptyTables,
  loadAggregate,
  openExecution,
  type Staged,
  storedEvent,
  type Tables,
} from './tables.ts';

export interface MemoryStoreOptions {
  /** As if machines shared it: any number of drivers. */
  readonly isShared?: boolean;
  /** Stamps seats; without it they are stamped 0. */
  readonly clock?: Pick<Clock, 'now'>;
  /**
   * Called around every commit. A throw at `before`: nothing was written. A throw at `after`: it is
   * committed, and the caller never hears so. A ProductError thrown before a `transact` settles its
   * commands as `unavailable`; anything else rejects the call, as a crash would.
   */
  readonly onCommit?: (phase: 'before' | 'after', what: MemoryWrite) => void;
}

export type MemoryWrite =
  | 'transact'
  | 'heartbeat'
  | 'offer'
  | 'evidence'
  | 'head'
  | 'references'
  | 'seat'
  | 'archive'
  | 'fact';

/** Empty; nothing of it outlives the process. */
export function memoryStore(options: MemoryStoreOptions = {}): Store {
  const tables = emptyTables();
  const board = hintBoard();
  const commit: Commit = (what, write) => {
    options.onCommit?.('before', what);
    const written = write();
    options.onCommit?.('after', what);
    board.tell();
    return written;
  };
  const now = (): Instant => options.clock?.now() ?? (0 as Instant);
  return {
    isShared: options.isShared ?? false,
    transact: async (commands, decide) => transact({ tables, commit, salt }, commands, decide),
    ...leases(tables, commit),
    ...reads(tables),
    hints: board.hints,
    ...seats(tables, commit, now),
    ...evidence(tables, commit),
    ...facts(tables, commit),
    keepHead: async (head, statement) => commit('head', () => keepHead(tables, head, statement)),
    keepListed: async (stream, references) =>
      commit('references', () => keepListed(tables, stream, references)),
    endedRuns: async (after, before, limit) => endedRuns(tables, after, before, limit),
    chain: async (run, after, limit) => chain(tables, run, after, limit),
    archive: async (stream) => commit('archive', () => archive(tables, stream)),
    archivedRuns: async (prefix, limit) => archivedRuns(tables, prefix, limit),
    audit: async () => audit(tables),
    close: async () => {},
  };
  function salt(): string {
    return (tables.events.length + 1).toString(16).padStart(32, '0');
  }
}

type Commit = <T>(what: MemoryWrite, write: () => T) => T;

interface Writer {
  readonly tables: Tables;
  readonly commit: Commit;
  /** Not random: the same commands give the same chain, so two runs of a seed can be compared. */
  readonly salt: () => string;
}

function transact<C extends StreamCommand, R>(
  { tables, commit, salt }: Writer,
  commands: readonly C[],
  decide: Decide<C, R>,
): readonly Settled<R>[] {
  const pending = new Map<RunId, { readonly version: number; readonly next: RunAggregate }>();
  const staged: Staged = new Map();
  const changes: (readonly [C, Change])[] = [];
  const settled = commands.map((command): Settled<R> => {
    const loaded = pending.get(command.run) ?? {
      version: tables.runs.get(command.run)?.version ?? 0,
      next: loadAggregate(tables, command.run),
    };
    const { version } = loaded;
    if (command.expectedVersion !== undefined && command.expectedVersion !== version) {
      return { kind: 'version_moved', version };
    }
    try {
      const decided = decide(loaded.next, command, heldBy(tables, changes, command));
      if (!decided.ok) return { kind: 'rejected', rejection: decided.error, next: loaded.next };
      const change = decided.value;
      checkChange(tables, staged, change);
      changes.push([command, change]);
      const after = version + change.events.length;
      const next = change.events.length > 0 ? change.next : loaded.next;
      pending.set(command.run, { version: after, next });
      return { kind: 'committed', version: after, next };
    } catch (error: unknown) {
      return { kind: 'threw', error };
    }
  });
  if (changes.length === 0) return settled;
  try {
    commit('transact', () => {
      for (const [command, change] of changes) applyChange(tables, command, change, salt);
    });
  } catch (error: unknown) {
    if (!(error instanceof ProductError)) throw error;
    return commands.map(() => ({ kind: 'unavailable', error }));
  }
  return settled;
}

/** With what the commands before it in this transaction have made of the leases. */
function heldBy(
  tables: Tables,
  changes: readonly (readonly [StreamCommand, Change])[],
  { heldBy: worker }: StreamCommand,
): number {
  if (worker === undefined) return 0;
  const leases = new Map([...tables.executions].map(([id, { row }]) => [id, row.lease]));
  for (const [, { rows }] of changes)
    for (const { id, lease } of rows.executions) leases.set(id, lease);
  return [...leases.values()].filter((lease) => lease?.holder.worker === worker).length;
}

type LeaseWrites = Pick<Store, 'heartbeat' | 'offer' | 'expireLeases' | 'expireSilent'>;

function leases(tables: Tables, commit: Commit): LeaseWrites {
  return {
    expireLeases: async () =>
      openRecords(tables)
        .filter(({ expired }) => expired)
        .map(openExecution),
    expireSilent: async ({ id, lease, beat }) =>
      commit('heartbeat', () => {
        const record = tables.executions.get(id);
        const isSame = record?.row.lease?.grantId === lease?.grantId && record?.beat === beat;
        if (record === undefined || lease === null || !isSame || record.expired) return false;
        tables.executions.set(id, { ...record, expired: true });
        return true;
      }),
    heartbeat: async (beat) => commit('heartbeat', () => heartbeat(tables, beat)),
    offer: async (id, now, until, turn) =>
      commit('offer', () => {
        if (turn !== undefined && !isHeldBy(tables.seats.get(turn.seat), turn)) return false;
        const record = tables.executions.get(id);
        if (record?.row.status !== 'DISPATCHED') return false;
        if (record.offeredUntil !== null && record.offeredUntil > now) return false;
        tables.executions.set(id, { ...record, offeredUntil: until });
        return true;
      }),
  };
}

const isHeldBy = (row: SeatRow | undefined, seat: Seat): boolean =>
  row !== undefined && sameHolder(row, seat);

function heartbeat(tables: Tables, beat: Heartbeat): HeartbeatAnswer {
  const record = tables.executions.get(beat.execution);
  if (record === undefined || endedExecution.includes(record.row.status)) {
    return { ok: false, reason: 'execution.not_open' };
  }
  if (record.row.lease?.grantId !== beat.grantId || record.expired)
    return { ok: false, reason: 'grant.stale' };
  tables.executions.set(beat.execution, {
    ...record,
    beat: Math.max(record.beat, beat.beat),
    signals: beat.signals.slice(0, bounds.signalsBytesMax),
    usage: beat.usage ?? record.usage,
  });
  return heartbeatAnswer(loadAggregate(tables, record.row.run), beat.execution);
}

type Reads = Omit<
  Store,
  | 'isShared'
  | 'transact'
  | 'heartbeat'
  | 'hints'
  | 'expireLeases'
  | 'expireSilent'
  | 'offer'
  | 'recordEvidence'
  | 'evidence'
  | 'keepHead'
  | 'keepListed'
  | 'takeSeat'
  | 'beatSeat'
  | 'leaveSeat'
  | 'seats'
  | 'fact'
  | 'facts'
  | 'swapFact'
  | 'audit'
  | 'endedRuns'
  | 'chain'
  | 'archive'
  | 'archivedRuns'
  | 'close'
>;

const byAge = (tables: Tables) => [...tables.executions.values()].sort((a, b) => a.seq - b.seq);
const openRecords = (tables: Tables) =>
  byAge(tables).filter(({ row }) => !endedExecution.includes(row.status));

function reads(tables: Tables): Reads {
  const due = () =>
    [...tables.timers.values()].sort((a, b) => a.dueAt - b.dueAt || (a.run < b.run ? -1 : 1));
  return {
    loadRun: async (run) => {
      const record = tables.runs.get(run);
      if (record === undefined) return null;
      return { version: record.version, aggregate: loadAggregate(tables, run) };
    },
    runs: async (filter) => runs(tables, filter),
    events: async (run, after, limit) =>
      stored(tables, (tables.runs.get(run)?.positions ?? []).slice(after, after + limit)),
    eventsAfter: async (position, limit) => {
      const found: StoredEvent[] = [];
      for (let at = Number(position ?? 0) + 1; at <= tables.events.length; at += 1) {
        if (found.length >= limit) break;
        found.push(...stored(tables, [at]));
      }
      return found;
    },
    reaches: async (position) => Number(position) <= tables.events.length,
    dispatchable: async (now, limit) =>
      byAge(tables)
        .filter(({ row }) => row.status === 'DISPATCHED')
        .filter(({ offeredUntil }) => offeredUntil === null || offeredUntil <= now)
        .slice(0, limit)
        .map(({ row }) => row),
    openExecutions: async () => openRecords(tables).map(openExecution),
    execution: async (id): Promise<OpenExecution | null> => {
      const record = tables.executions.get(id);
      return record === undefined ? null : openExecution(record);
    },
    timersDue: async (now, limit) =>
      due()
        .filter(({ dueAt }) => dueAt <= now)
        .slice(0, limit),
    timersOf: async (run) => due().filter((timer) => timer.run === run),
    nextTimer: async () => due()[0]?.dueAt ?? null,
    openApprovals: async () =>
      [...tables.approvals.values()]
        .filter(({ outcome }) => outcome === null)
        .map(({ row }) => row),
    unreferenced: async (digests) => {
      const held = new Set(tables.references.values());
      return digests.filter((digest) => !held.has(digest));
    },
    refers: async (run, digest) =>
      [...tables.references].some(([key, held]) => held === digest && key.startsWith(`${run}\n`)),
    referred: async (after, limit) => referred(tables, after, limit),
    unlisted: async (after, limit) => unlisted(tables, after, limit),
    unsignedHeads: async (limit) => unsignedHeads(tables, limit),
  };
}

const stored = (tables: Tables, positions: readonly number[]) =>
  positions.map((position) => storedEvent(tables, position)).filter((event) => event !== null);

function runs(tables: Tables, filter: RunFilter): readonly RunRow[] {
  const rows: RunRow[] = [];
  for (const record of [...tables.runs.values()].reverse()) {
    if (rows.length >= filter.limit) break;
    if (filter.open === true && endedRun.includes(record.status)) continue;
    if (!matches(filter, record)) continue;
    const aggregate = loadAggregate(tables, record.id);
    const { id, version, createdAt, updatedAt } = record;
    rows.push({ id, version, createdAt, updatedAt, ...columnsOf(aggregate), aggregate });
  }
  return rows;
}

type SeatWrites = Pick<Store, 'takeSeat' | 'beatSeat' | 'leaveSeat' | 'seats'>;

function seats(tables: Tables, commit: Commit, now: () => Instant): SeatWrites {
  const holds = (seat: Seat): SeatRow | null => {
    const row = tables.seats.get(seat.seat);
    return row !== undefined && sameHolder(row, seat) ? row : null;
  };
  return {
    takeSeat: async (seat, takeOver) =>
      commit('seat', () => {
        const row = tables.seats.get(seat.seat);
        if (row !== undefined && sameHolder(row, seat)) return { ours: true, row };
        if (row !== undefined && !mayTakeOver(row, takeOver)) return { ours: false, row };
        const taken: SeatRow = { ...seat, beat: 0, since: now() };
        tables.seats.set(seat.seat, taken);
        return { ours: true, row: taken };
      }),
    beatSeat: async (seat) =>
      commit('seat', () => {
        const row = holds(seat);
        if (row !== null) tables.seats.set(seat.seat, { ...row, beat: row.beat + 1 });
        return row !== null;
      }),
    leaveSeat: async (seat) =>
      commit('seat', () => {
        if (holds(seat) !== null) tables.seats.delete(seat.seat);
      }),
    seats: async () => [...tables.seats.values()].sort((a, b) => (a.seat < b.seat ? -1 : 1)),
  };
}

function evidence(tables: Tables, commit: Commit): Pick<Store, 'recordEvidence' | 'evidence'> {
  return {
    recordEvidence: async (refusal) =>
      commit('evidence', () => {
        const rows = tables.evidence.get(refusal.execution) ?? [];
        const newest = rows.at(-1);
        if (newest !== undefined && rows.length >= bounds.evidenceRowsMax) {
          rows[rows.length - 1] = { ...newest, at: refusal.at, n: newest.n + 1 };
        } else rows.push({ ...boundedEvidence(refusal), n: 1 });
        tables.evidence.set(refusal.execution, rows);
      }),
    evidence: async (execution) => [...(tables.evidence.get(execution) ?? [])],
  };
}

function audit(tables: Tables) {
  const last = tables.streams.at(-1);
  const head = last === undefined ? null : { count: last.seq, last: last.stream, hash: last.hash };
  const problems = [...auditRegistry(tables.streams, head)];
  let events = 0;
  let erased = 0;
  for (const record of tables.runs.values()) {
    const entries = record.positions.flatMap((at) => tables.events[at - 1]?.entry ?? []);
    const end = { version: record.version, hash: record.head };
    const stream = auditStream(record.id, entries, end);
    events += stream.events;
    erased += stream.erased;
    problems.push(...stream.problems);
  }
  const [heads, unsigned] = [keptHeads(tables), countUnsigned(tables)];
  const archived = [...tables.archived.values()];
  return { streams: tables.streams.length, events, erased, heads, unsigned, archived, problems };
}
