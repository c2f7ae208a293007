/** The tables of the memory store and how one decision changes them. */
import type { Usage } from '../../domain/execution/state.ts';
import type { Digest, ExecutionId, Instant, RunId } from '../../domain/ids.ts';
import type { RunAggregate } from '../../domain/run/aggregate.ts';
import { invariant } from '../../kernel/invariant.ts';
import type {
  ApprovalRow,
  ArchivedStream,
  Change,
  DueTimer,
  EvidenceRow,
  ExecutionRow,
  OpenExecution,
  SeatRow,
  StoredEvent,
  StreamCommand,
} from '../../ports/store.ts';
import type { EventEntry, StreamEntry } from '../audit.ts';
import { actorText, genesis, hashData, hashEvent, hashStream, storeFormat } from '../chain.ts';
import { columnsOf, emptyAggregate, type RunColumns } from '../projection.ts';

export interface Tables {
  readonly streams: StreamEntry[];
  readonly runs: Map<RunId, RunRecord>;
  readonly events: { readonly run: RunId; readonly entry: EventEntry }[];
  readonly executions: Map<ExecutionId, ExecutionRecord>;
  readonly timers: Map<string, DueTimer>;
  readonly approvals: Map<string, ApprovalRecord>;
  /** `run\nname` → digest. */
  readonly references: Map<string, Digest>;
  /** To which version the references of a run are listed. */
  readonly listed: Map<RunId, number>;
  readonly evidence: Map<ExecutionId, EvidenceRow[]>;
  readonly seats: Map<string, SeatRow>;
  readonly facts: Map<string, string>;
  readonly archived: Map<RunId, ArchivedStream>;
}

export interface RunRecord extends RunColumns {
  readonly id: RunId;
  readonly seq: number;
  readonly version: number;
  readonly head: string;
  /** JSON, as the other stores keep it: what does not survive JSON shows here too. */
  readonly state: string;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly positions: readonly number[];
}

export interface ExecutionRecord {
  readonly row: ExecutionRow;
  readonly seq: number;
  readonly offeredUntil: Instant | null;
  readonly beat: number;
  readonly signals: string | null;
  readonly usage: Usage | null;
  /** Its lease was decided expired. */
  readonly expired: boolean;
}

export interface ApprovalRecord {
  readonly row: ApprovalRow;
  readonly outcome: string | null;
}

export const emptyTables = (): Tables => ({
  streams: [],
  runs: new Map(),
  events: [],
  executions: new Map(),
  timers: new Map(),
  approvals: new Map(),
  references: new Map(),
  listed: new Map(),
  evidence: new Map(),
  seats: new Map(),
  facts: new Map(),
  archived: new Map(),
});

/** What a row's JSON says, parsed once: rows are replaced, never changed. */
const said = new WeakMap<object, unknown>();

function saidBy(row: object, json: string): unknown {
  const known = said.get(row) ?? JSON.parse(json);
  said.set(row, known);
  return known;
}

export function loadAggregate(tables: Tables, run: RunId): RunAggregate {
  const record = tables.runs.get(run);
  return record === undefined ? emptyAggregate : (saidBy(record, record.state) as RunAggregate);
}

/** Outcomes of approvals that earlier changes of the same transaction set; null: opened by one. */
export type Staged = Map<string, string | null>;

/** Refuses a change that the other stores could not write either. Changes no table. */
export function checkChange(tables: Tables, staged: Staged, change: Change): void {
  if (change.events.length > 0) columnsOf(change.next);
  for (const { id } of change.rows.openApprovals) {
    invariant(!staged.has(id) && !tables.approvals.has(id), `approval ${id} is asked once`);
    staged.set(id, null);
  }
  for (const { id, outcome } of change.rows.closeApprovals) {
    const before = staged.has(id) ? staged.get(id) : tables.approvals.get(id)?.outcome;
    invariant(before === null, `approval ${id} is open when it is resolved`);
    staged.set(id, outcome);
  }
}

/** Events and rows of one decision; cannot fail after {@link checkChange}. */
export function applyChange(
  tables: Tables,
  command: StreamCommand,
  change: Change,
  salt: () => string,
): void {
  if (change.events.length > 0) appendEvents(tables, command, change, salt);
  applyRows(tables, command.run, change);
}

function appendEvents(
  tables: Tables,
  command: StreamCommand,
  change: Change,
  salt: () => string,
): void {
  const before = tables.runs.get(command.run) ?? createStream(tables, command);
  let { version, head } = before;
  const positions = [...before.positions];
  for (const event of change.events) {
    version += 1;
    const envelope = { version, type: event.type, format: storeFormat, at: command.at };
    const sealed = {
      ...envelope,
      actor: actorText(command.actor),
      salt: salt(),
      data: JSON.stringify(event),
    };
    const dataHash = hashData(sealed.salt, sealed.data);
    head = hashEvent(head, { ...sealed, stream: command.run }, dataHash);
    tables.events.push({ run: command.run, entry: { ...sealed, dataHash, hash: head } });
    positions.push(tables.events.length);
  }
  tables.runs.set(command.run, {
    ...before,
    ...columnsOf(change.next),
    version,
    head,
    positions,
    state: JSON.stringify(change.next),
    updatedAt: command.at,
  });
}

function createStream(
  tables: Tables,
  { run, at }: StreamCommand,
): Omit<RunRecord, keyof RunColumns> {
  const last = tables.streams.at(-1);
  const seq = (last?.seq ?? 0) + 1;
  const hash = hashStream(last?.hash ?? genesis, seq, run);
  tables.streams.push({ seq, stream: run, previous: last?.stream ?? null, hash });
  return {
    id: run,
    seq,
    version: 0,
    head: genesis,
    state: '',
    createdAt: at,
    updatedAt: at,
    positions: [],
  };
}

function applyRows(tables: Tables, run: RunId, { rows }: Change): void {
  for (const row of rows.executions) setExecution(tables, row);
  for (const kind of rows.clearTimers) tables.timers.delete(`${run}\n${kind}`);
  for (const timer of rows.setTimers) {
    tables.timers.set(`${run}\n${timer.kind}`, { run, ...timer });
  }
  for (const row of rows.openApprovals) tables.approvals.set(row.id, { row, outcome: null });
  for (const { id, outcome } of rows.closeApprovals) {
    const record = tables.approvals.get(id);
    if (record !== undefined) tables.approvals.set(id, { ...record, outcome });
  }
  for (const { name, digest } of rows.references) tables.references.set(`${run}\n${name}`, digest);
}

/** A new grant starts without beats and signals; the same grant keeps them. */
function setExecution(tables: Tables, row: ExecutionRow): void {
  const before = tables.executions.get(row.id);
  const sameGrant = before?.row.lease?.grantId === row.lease?.grantId && row.lease !== null;
  const volatile = sameGrant && before !== undefined ? before : noBeat;
  tables.executions.set(row.id, {
    row,
    seq: before?.seq ?? tables.executions.size + 1,
    offeredUntil: before?.offeredUntil ?? null,
    beat: volatile.beat,
    signals: volatile.signals,
    usage: volatile.usage,
    expired: volatile.expired,
  });
}

const noBeat = { beat: 0, signals: null, usage: null, expired: false } as const;

export const openExecution = (record: ExecutionRecord): OpenExecution => ({
  ...record.row,
  offeredUntil: record.offeredUntil,
  beat: record.beat,
  signals: record.signals,
  usage: record.usage,
});

export function storedEvent(tables: Tables, position: number): StoredEvent | null {
  const event = tables.events[position - 1];
  if (event === undefined || event.entry.data === null) return null;
  const { version, actor, at, data } = event.entry;
  return {
    position: String(position) as StoredEvent['position'],
    run: event.run,
    version,
    actor,
    at: at as Instant,
    event: saidBy(event.entry, data) as StoredEvent['event'],
  };
}
