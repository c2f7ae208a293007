/**
 * The decisions of one drain, in memory: every command on what was loaded for its run and what the
 * commands before it have made of that. Pure and synchronous; nothing of it outlives the drain.
 * What it writes of a run is the state at the end, however many commands led there.
 */
import type { RunId } from '../../domain/ids.ts';
import type { RunAggregate } from '../../domain/run/aggregate.ts';
import { invariant } from '../../kernel/invariant.ts';
import type {
  ApprovalRow,
  Change,
  Decide,
  ExecutionRow,
  Rows,
  Settled,
  StreamCommand,
} from '../../ports/store.ts';
import { toHex } from '../bytes.ts';
import { actorText, genesis, hashData, hashEvent, storeFormat } from '../chain.ts';
import { emptyAggregate, living } from '../projection.ts';
import type { StateText } from '../state-text.ts';
import type { LoadedColumns } from './sql/reads.ts';

export interface Loaded {
  readonly id: RunId;
  /** Null until it is in the registry of streams. */
  readonly seq: number | null;
  readonly stored: { readonly version: number; readonly aggregate: RunAggregate } | null;
  version: number;
  head: string;
  aggregate: RunAggregate;
  bornAt: number | null;
  movedAt: number | null;
  readonly rows: FinalRows;
  /** What its rows say depends on the order of its commands: the last word is not enough. */
  entangled: boolean;
}

/** What the rows of a run will say; the last word of each. */
interface FinalRows {
  readonly executions: Map<string, Placed<ExecutionRow>>;
  /** Null: cleared. */
  readonly timers: Map<string, Rows['setTimers'][number] | null>;
  readonly asked: Map<string, Placed<ApprovalRow>>;
  readonly resolved: Map<string, Rows['closeApprovals'][number]>;
  readonly references: Map<string, string>;
}

/** Rows get their numbers in the order in which the commands made them, over all runs. */
export interface Placed<Row> {
  readonly ord: number;
  readonly row: Row;
}

export interface NewEvent {
  readonly of: Loaded;
  readonly version: number;
  readonly type: string;
  readonly actor: string;
  readonly at: number;
  readonly data: string;
  readonly salt: string;
  readonly dataHash: string;
  readonly hash: string;
}

export interface Batch {
  /** Decides on what it finds; a rejection or a throw of `decide` changes nothing. */
  decide<C extends StreamCommand, R>(command: C, decide: Decide<C, R>): Settled<R>;
  /** In the order of the commands. */
  readonly events: readonly NewEvent[];
  /** Those of which there is anything to write. */
  touched(): readonly Loaded[];
  /** Its commands are to be written one by one. */
  isEntangled(): boolean;
}

export function batch(
  loadedRows: readonly LoadedColumns[],
  means: {
    readonly salt: () => string;
    readonly states: StateText;
    /** Leases of the workers that commands ask about, as this transaction sees them. */
    readonly held?: ReadonlyMap<string, number>;
  },
): Batch {
  const granted = new Map(means.held);
  const rows = new Map(loadedRows.map((row) => [row.id, row]));
  const runs = new Map<RunId, Loaded>();
  const events: NewEvent[] = [];
  let kept = 0;
  const runOf = (id: RunId): Loaded => {
    const known = runs.get(id);
    if (known !== undefined) return known;
    const fresh = loadedOf(id, rows.get(id), means.states);
    runs.set(id, fresh);
    return fresh;
  };
  return {
    events,
    touched: () => [...runs.values()].filter(isTouched),
    isEntangled: () => [...runs.values()].some(({ entangled }) => entangled),
    decide: (command, decide) => {
      const run = runOf(command.run);
      const { version, aggregate } = run;
      if (command.expectedVersion !== undefined && command.expectedVersion !== version) {
        return { kind: 'version_moved', version };
      }
      try {
        const held = command.heldBy === undefined ? 0 : (granted.get(command.heldBy) ?? 0);
        const decided = decide(aggregate, command, held);
        if (!decided.ok) return { kind: 'rejected', rejection: decided.error, next: aggregate };
        keep(run, command, decided.value);
        // Whether it will be written is not known yet: counted, it can only refuse one too many.
        if (command.heldBy !== undefined) granted.set(command.heldBy, held + 1);
        return { kind: 'committed', version: run.version, next: run.aggregate };
      } catch (error: unknown) {
        return { kind: 'threw', error };
      }
    },
  };

  function keep(run: Loaded, command: StreamCommand, change: Change): void {
    if (change.events.length > 0) living(change.next);
    checkRows(run, change.rows);
    if (change.events.length > 0) events.push(...append(run, command, change, means.salt));
    kept += 1;
    if (run.seq !== null || run.movedAt !== null) keepRows(run, change.rows, kept);
  }
}

function loadedOf(id: RunId, row: LoadedColumns | undefined, states: StateText): Loaded {
  const rows: FinalRows = {
    executions: new Map(),
    timers: new Map(),
    asked: new Map(),
    resolved: new Map(),
    references: new Map(),
  };
  const fresh = { id, bornAt: null, movedAt: null, rows, entangled: false };
  if (row === undefined) {
    const unborn = { seq: null, stored: null, version: 0, head: genesis };
    return { ...fresh, ...unborn, aggregate: emptyAggregate };
  }
  const { seq, version } = row;
  const aggregate = states.parse(id, row.state);
  const stored = { version, aggregate };
  return { ...fresh, seq, stored, version, head: toHex(row.head), aggregate };
}

const isTouched = ({ movedAt, rows }: Loaded): boolean =>
  movedAt !== null || Object.values(rows).some((map: ReadonlyMap<string, unknown>) => map.size > 0);

/** What no store may write is found before anything of the command is kept. */
function checkRows({ rows }: Loaded, { openApprovals, closeApprovals }: Rows): void {
  const asked = new Set(rows.asked.keys());
  const resolved = new Set(rows.resolved.keys());
  for (const { id } of openApprovals) {
    invariant(!asked.has(id), `approval ${id} is asked once`);
    asked.add(id);
  }
  for (const { id } of closeApprovals) {
    invariant(!resolved.has(id), `approval ${id} is open when it is resolved`);
    resolved.add(id);
  }
}

function append(
  run: Loaded,
  command: StreamCommand,
  change: Change,
  salt: () => string,
): readonly NewEvent[] {
  const { at } = command;
  const actor = actorText(command.actor);
  const added = change.events.map((event): NewEvent => {
    run.version += 1;
    const saltText = salt();
    const data = JSON.stringify(event);
    const dataHash = hashData(saltText, data);
    const { version } = run;
    const envelope = { version, type: event.type, format: storeFormat, at, actor };
    const hash = hashEvent(run.head, { stream: run.id, ...envelope }, dataHash);
    run.head = hash;
    return { of: run, version, type: event.type, actor, at, data, salt: saltText, dataHash, hash };
  });
  run.aggregate = change.next;
  run.bornAt ??= at;
  run.movedAt = at;
  return added;
}

function keepRows(run: Loaded, change: Rows, ord: number): void {
  const { rows } = run;
  for (const row of change.executions) {
    const before = rows.executions.get(row.id);
    rows.executions.set(row.id, { ord: before?.ord ?? ord, row });
  }
  for (const kind of change.clearTimers) rows.timers.set(kind, null);
  for (const timer of change.setTimers) rows.timers.set(timer.kind, timer);
  for (const row of change.openApprovals) {
    // Resolved before it was asked: whether that may be is for the table to say.
    if (rows.resolved.has(row.id)) run.entangled = true;
    rows.asked.set(row.id, { ord, row });
  }
  for (const row of change.closeApprovals) rows.resolved.set(row.id, row);
  for (const { name, digest } of change.references) rows.references.set(name, digest);
}
