/** A batch as documents for its statement. */
import type { Execution } from '../../domain/execution/state.ts';
import { invariant } from '../../kernel/invariant.ts';
import type { ExecutionRow } from '../../ports/store.ts';
import type { RegistryHead } from '../audit.ts';
import { digestBytes, toHex } from '../bytes.ts';
import { hashStream, storeFormat } from '../chain.ts';
import { isSameRow, jobKey } from '../execution-row.ts';
import { columnsOf, living } from '../projection.ts';
import type { StateText } from '../state-text.ts';
import type { Loaded, NewEvent } from './batch.ts';
import type { BatchRows } from './sql/write-batch.ts';

export interface Numbered {
  /** Number of each stream, those that are born here too. */
  readonly seqs: ReadonlyMap<Loaded, number>;
  readonly born: BatchRows['born'];
  readonly registry: RegistryHead;
}

/** Enters new streams into the registry (H3), in the order of their first event. */
export function numbered(runs: readonly Loaded[], head: RegistryHead, states: StateText): Numbered {
  const seqs = new Map<Loaded, number>();
  const born: object[] = [];
  let registry = head;
  for (const run of runs) {
    if (run.seq !== null) {
      seqs.set(run, run.seq);
      continue;
    }
    const seq = registry.count + 1;
    const hash = hashStream(registry.hash, seq, run.id);
    seqs.set(run, seq);
    born.push({
      ...stateOf(run, states),
      ...{ seq, id: run.id, previous: registry.last, entry: hash },
      ...{ definition: living(run.aggregate).definition, created_at: run.bornAt },
    });
    registry = { count: seq, last: run.id, hash };
  }
  return { seqs, born, registry };
}

const stateOf = (run: Loaded, states: StateText) => ({
  ...columnsOf(run.aggregate),
  version: run.version,
  head: run.head,
  at: run.movedAt,
  state: states.text(run.id, run.aggregate),
});

export function batchRows(
  runs: readonly Loaded[],
  events: readonly NewEvent[],
  { seqs, born }: Numbered,
  { states, ttlMs }: { readonly states: StateText; readonly ttlMs: number },
): BatchRows {
  const seqOf = (run: Loaded): number => {
    const seq = seqs.get(run);
    invariant(seq !== undefined, 'a run that is written has a number');
    return seq;
  };
  const of = (one: (run: Loaded, number: number) => readonly object[]): readonly object[] =>
    runs.flatMap((run) => one(run, seqOf(run)));
  return {
    runs: of((run, seq) => (run.stored === null ? [] : [runRow(run, seq, states)])),
    born,
    events: events.map((event, ord) => eventRow(event, seqOf(event.of), ord)),
    executions: of((run, seq) =>
      [...run.rows.executions.values()]
        .filter(({ row }) => isNews(known(run, row.id), row))
        .map(({ ord, row }) => executionRow(row, seq, ord)),
    ),
    leases: of((run, seq) =>
      [...run.rows.executions.values()].flatMap(({ row }) =>
        grants(known(run, row.id), row) ? [leaseRow(row, seq, ttlMs)] : [],
      ),
    ),
    dropped: of((run, seq) =>
      [...run.rows.executions.values()]
        // What was only dispatched never had one.
        .map(({ row }) => row)
        .filter(({ lease, status }) => lease === null && status !== 'DISPATCHED')
        .map(({ id }) => ({ run: seq, id })),
    ),
    ...timerRows(of),
    ...approvalRows(of),
    references: of((run, seq) =>
      [...run.rows.references].map(([name, digest]) => ({
        ...{ run: seq, name, digest: toHex(digestBytes(digest)) },
      })),
    ),
  };
}

function runRow(run: Loaded, seq: number, states: StateText): object {
  const expected = run.stored?.version;
  if (run.movedAt === null) return { seq, expected, moved: false };
  const { name: _, project: __, ...state } = stateOf(run, states);
  return { seq, expected, moved: true, ...state };
}

const eventRow = (event: NewEvent, run: number, ord: number): object => ({
  ...{ ord, run, version: event.version, type: event.type, format: storeFormat },
  ...{ actor: event.actor, at: event.at, data: event.data, salt: event.salt },
  ...{ data_hash: event.dataHash, hash: event.hash },
});

/** As the row of the execution is, if it was open when the run was loaded. */
const known = (run: Loaded, id: string): Execution | undefined =>
  run.stored?.aggregate.executions.find((one) => one.id === id);

const grants = (before: Execution | undefined, { lease }: ExecutionRow): boolean =>
  lease !== null && before?.grant?.id !== lease.grantId;

const isNews = (before: Execution | undefined, row: ExecutionRow): boolean =>
  before === undefined || !isSameRow(before, row) || grants(before, row);

const executionRow = (row: ExecutionRow, run: number, ord: number): object => ({
  ...{ ord, run, id: row.id, job_key: jobKey(row), role: row.role, attempt: row.attempt },
  ...{ no: row.n, status: row.status, class: row.class, fence: row.fence },
  ...{ worker: row.lease?.holder.worker ?? null, created_at: row.createdAt },
  job: JSON.stringify(row.job),
});

function leaseRow({ id, lease }: ExecutionRow, run: number, ttlMs: number): object {
  const { worker, bootId, pid, started } = lease?.holder ?? {};
  return { run, id, worker, boot_id: bootId, pid, started, grant_id: lease?.grantId, ttl: ttlMs };
}

type Of = (one: (run: Loaded, number: number) => readonly object[]) => readonly object[];

const timerRows = (of: Of): Pick<BatchRows, 'timers' | 'cleared'> => ({
  timers: of(({ rows }, run) =>
    [...rows.timers.values()].flatMap((timer) =>
      timer === null
        ? []
        : [{ run, kind: timer.kind, generation: timer.generation, due_at: timer.dueAt }],
    ),
  ),
  cleared: of(({ rows }, run) =>
    [...rows.timers].filter(([, timer]) => timer === null).map(([kind]) => ({ run, kind })),
  ),
});

const approvalRows = (of: Of): Pick<BatchRows, 'asked' | 'resolved'> => ({
  asked: of(({ rows }, run) =>
    [...rows.asked.values()].map(({ ord, row }) => {
      const { id, kind, askedAt, expiresAt, bound } = row;
      // Asked and resolved in one drain: it is born with its outcome.
      const { outcome, by, channel, at } = rows.resolved.get(id) ?? {};
      const base = { ord, run, id, kind, asked_at: askedAt, expires_at: expiresAt };
      return { ...base, ...bound, outcome, by, channel, at };
    }),
  ),
  resolved: of(({ rows }, run) =>
    [...rows.resolved.values()]
      .filter(({ id }) => !rows.asked.has(id))
      .map(({ id, outcome, by, channel, at }) => ({ run, id, outcome, by, channel, at })),
  ),
});
