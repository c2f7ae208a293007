/**
 * One transaction and what was loaded in it; nothing of it outlives its end. A run is read once and
 * written once, however many commands it had.
 */
import type { RunId } from '../../domain/ids.ts';
import type { RunAggregate } from '../../domain/run/aggregate.ts';
import { invariant } from '../../kernel/invariant.ts';
import type { Change, Decide, Settled, StreamCommand } from '../../ports/store.ts';
import { emptyRegistry, type RegistryHead, registryKey } from '../audit.ts';
import { fromHex, toHex } from '../bytes.ts';
import { actorText, genesis, hashData, hashEvent, hashStream, storeFormat } from '../chain.ts';
import { columnsOf, emptyAggregate, living } from '../projection.ts';
import { advanceRun, relabelRun } from '../sql/advance-run.ts';
import { appendEvent } from '../sql/append-event.ts';
import { heldByWorker } from '../sql/executions.ts';
import { insertRun } from '../sql/insert-run.ts';
import { loadRun } from '../sql/load-run.ts';
import { getMeta, setMeta } from '../sql/meta.ts';
import { insertStream } from '../sql/streams.ts';
import type { StateText } from '../state-text.ts';
import type { Connection } from './connection.ts';
import { writeRows } from './write-rows.ts';

export interface Transaction {
  readonly connection: Connection;
  /** Decides one command on what it finds; a rejection or a throw of `decide` writes nothing. */
  decide<C extends StreamCommand, R>(command: C, decide: Decide<C, R>): Settled<R>;
  /** Writes the rows of the runs that moved; the last thing before the commit. */
  flush(): void;
}

interface Loaded {
  readonly id: RunId;
  seq: number;
  /** What the row says; null until there is one. */
  readonly stored: { readonly version: number; readonly aggregate: RunAggregate } | null;
  version: number;
  head: string;
  aggregate: RunAggregate;
  movedAt: number | null;
}

/** What a writer keeps from one transaction to the next; nothing of it is state of a run. */
export interface Means {
  readonly salt: () => string;
  readonly states: StateText;
}

export function transaction(connection: Connection, means: Means): Transaction {
  const loaded = new Map<RunId, Loaded>();
  const load = (run: RunId): Loaded => {
    const known = loaded.get(run);
    if (known !== undefined) return known;
    const fresh = loadFrom(connection, means.states, run);
    loaded.set(run, fresh);
    return fresh;
  };
  return {
    connection,
    decide: (command, decide) => {
      const run = load(command.run);
      if (command.expectedVersion !== undefined && command.expectedVersion !== run.version) {
        return { kind: 'version_moved', version: run.version };
      }
      const held = command.heldBy === undefined ? 0 : heldBy(connection, command.heldBy);
      const decided = guarded(decide, run.aggregate, command, held);
      if (decided.kind !== 'change') return decided;
      const { change } = decided;
      const before = run.aggregate.executions;
      if (change.events.length > 0) append({ connection, ...means }, run, command, change);
      if (run.seq > 0) writeRows(connection, { run: run.seq, before }, change.rows);
      return { kind: 'committed', version: run.version, next: run.aggregate };
    },
    flush: () => {
      for (const run of loaded.values())
        if (run.movedAt !== null) save(connection, means.states, run);
    },
  };
}

type Decided<R> =
  | { readonly kind: 'change'; readonly change: Change }
  | Extract<Settled<R>, { readonly kind: 'rejected' | 'threw' }>;

function guarded<C extends StreamCommand, R>(
  decide: Decide<C, R>,
  aggregate: RunAggregate,
  command: C,
  held: number,
): Decided<R> {
  try {
    const decided = decide(aggregate, command, held);
    if (!decided.ok) return { kind: 'rejected', rejection: decided.error, next: aggregate };
    if (decided.value.events.length > 0) living(decided.value.next);
    return { kind: 'change', change: decided.value };
  } catch (error: unknown) {
    return { kind: 'threw', error };
  }
}

/** Those that earlier commands of this transaction granted are rows already. */
const heldBy = (connection: Connection, worker: string): number =>
  connection.get(heldByWorker, worker)?.held ?? 0;

function loadFrom(connection: Connection, states: StateText, id: RunId): Loaded {
  const row = connection.get(loadRun, id);
  if (row === undefined) {
    const fresh = { seq: 0, stored: null, version: 0, head: genesis, aggregate: emptyAggregate };
    return { id, ...fresh, movedAt: null };
  }
  const { seq, version, state } = row;
  const aggregate = states.parse(id, state);
  const stored = { version, aggregate };
  return { id, seq, stored, version, head: toHex(row.head), aggregate, movedAt: null };
}

interface Writer {
  readonly connection: Connection;
  readonly salt: () => string;
}

function append({ connection, salt }: Writer, run: Loaded, by: StreamCommand, change: Change) {
  if (run.seq === 0) run.seq = register(connection, run.id);
  const { at } = by;
  const actor = actorText(by.actor);
  for (const event of change.events) {
    run.version += 1;
    const saltText = salt();
    const data = JSON.stringify(event);
    const dataHash = hashData(saltText, data);
    const envelope = { version: run.version, type: event.type, format: storeFormat, at, actor };
    run.head = hashEvent(run.head, { stream: run.id, ...envelope }, dataHash);
    connection.run(
      appendEvent,
      run.seq,
      run.version,
      event.type,
      storeFormat,
      actor,
      at,
      data,
      fromHex(saltText),
      fromHex(dataHash),
      fromHex(run.head),
    );
  }
  run.aggregate = change.next;
  run.movedAt = at;
}

/** Enters a new stream into the registry (H3) and gives it its number. */
function register(connection: Connection, stream: string): number {
  const stored = connection.get(getMeta, registryKey);
  const head = stored === undefined ? emptyRegistry : (JSON.parse(stored.value) as RegistryHead);
  const seq = head.count + 1;
  const hash = hashStream(head.hash, seq, stream);
  connection.run(insertStream, seq, stream, head.last, fromHex(hash));
  const next: RegistryHead = { count: seq, last: stream, hash };
  connection.run(setMeta, registryKey, JSON.stringify(next));
  return seq;
}

function save(connection: Connection, states: StateText, run: Loaded): void {
  const { seq, version, stored } = run;
  const at = run.movedAt ?? 0;
  const state = states.text(run.id, run.aggregate);
  const head = fromHex(run.head);
  const { name, project, status, phase, disposition, reason } = columnsOf(run.aggregate);
  if (stored === null) {
    const { definition } = living(run.aggregate);
    const what = [name, project, 'attempts', status, phase, disposition, reason] as const;
    connection.run(insertRun, seq, run.id, ...what, version, head, definition, at, state);
    return;
  }
  const moved = connection.run(advanceRun, seq, stored.version, version, head, at, state);
  invariant(moved === 1, `run ${run.id} is where it was read, at version ${stored.version}`);
  const before = columnsOf(stored.aggregate);
  const isSame =
    status === before.status &&
    phase === before.phase &&
    disposition === before.disposition &&
    reason === before.reason;
  if (!isSame) connection.run(relabelRun, seq, status, phase, disposition, reason);
}
