/** What is read, the same for every store of tables: usable while others write. */
import type { Digest, Instant, RunId } from '../domain/ids.ts';
import type { RunAggregate } from '../domain/run/aggregate.ts';
import type { Position, RunFilter, RunRow, Store, StoredEvent } from '../ports/store.ts';
import { archivedStream, archiveKey } from './archive/marks.ts';
import { digestBytes, digestText, toHex } from './bytes.ts';
import { factKey, factName } from './fact-key.ts';
import type { Bound, Query } from './query.ts';
import {
  approvalRow,
  chainEntry,
  dueTimer,
  executionRow,
  openExecution,
  runRow,
  seatRow,
  storedEvent,
} from './rows.ts';
import { prefixRange } from './run-filter.ts';
import { openApprovals } from './sql/approvals.ts';
import { type EndedColumns, endedRuns } from './sql/archive.ts';
import { chainOfRun, eventsOfRun } from './sql/events.ts';
import { evidenceOf } from './sql/evidence.ts';
import { dispatchable, executionById, openExecutions } from './sql/executions.ts';
import { factByKey, factsFrom } from './sql/facts.ts';
import { loadRun } from './sql/load-run.ts';
import { isReferencedBy, referredAfter, unlisted, unsignedHeads } from './sql/references.ts';
import type { RunRowColumns } from './sql/runs.ts';
import { seatRows } from './sql/seats.ts';
import { nextTimer, timersDue, timersOf } from './sql/timers.ts';

/** All rows of a query, on a connection that does not write, patiently. */
export type All = <V extends readonly Bound[], Row>(
  query: Query<V, Row>,
  ...values: V
) => Promise<readonly Row[]>;

/** What each database says in its own way. */
export interface OwnReads {
  /** Rows for a filter; statuses null: any. */
  runs(
    filter: RunFilter,
    statuses: readonly RunRow['status'][] | null,
  ): Promise<readonly RunRowColumns[]>;
  eventsAfter(position: Position | null, limit: number): Promise<readonly StoredEvent[]>;
  reaches(position: Position): Promise<boolean>;
  unreferenced(digests: readonly Digest[]): Promise<readonly Digest[]>;
}

export type Reads = Pick<
  Store,
  | 'loadRun'
  | 'runs'
  | 'events'
  | 'eventsAfter'
  | 'reaches'
  | 'dispatchable'
  | 'openExecutions'
  | 'execution'
  | 'timersDue'
  | 'timersOf'
  | 'nextTimer'
  | 'openApprovals'
  | 'evidence'
  | 'unreferenced'
  | 'refers'
  | 'referred'
  | 'unlisted'
  | 'unsignedHeads'
  | 'seats'
  | 'fact'
  | 'facts'
  | 'endedRuns'
  | 'chain'
  | 'archivedRuns'
>;

/** What is written beside commands; each database in its own way. */
export type Writes = Omit<
  Store,
  keyof Reads | 'isShared' | 'transact' | 'hints' | 'audit' | 'close'
>;

export function reads(all: All, own: OwnReads): Reads {
  const list = async <V extends readonly Bound[], Row, T>(
    query: Query<V, Row>,
    map: (row: Row) => T,
    ...values: V
  ): Promise<readonly T[]> => (await all(query, ...values)).map(map);
  const one = async <V extends readonly Bound[], Row, T>(
    query: Query<V, Row>,
    map: (row: Row) => T,
    ...values: V
  ): Promise<T | null> => (await list(query, map, ...values))[0] ?? null;
  return {
    loadRun: (run) =>
      one(
        loadRun,
        ({ version, state }) => ({ version, aggregate: JSON.parse(state) as RunAggregate }),
        run,
      ),
    runs: async (filter) => (await own.runs(filter, statusesOf(filter))).map(runRow),
    events: (run, after, limit) => list(eventsOfRun, storedEvent, run, after, limit),
    eventsAfter: (position, limit) => own.eventsAfter(position, limit),
    reaches: (position) => own.reaches(position),
    dispatchable: (now, limit) => list(dispatchable, executionRow, now, limit),
    openExecutions: () => list(openExecutions, openExecution),
    execution: (id) => one(executionById, openExecution, id),
    timersDue: (now, limit) => list(timersDue, dueTimer, now, limit),
    timersOf: (run) => list(timersOf, dueTimer, run),
    nextTimer: () => one(nextTimer, ({ due_at }) => due_at as Instant | null),
    openApprovals: () => list(openApprovals, approvalRow),
    evidence: (execution) =>
      list(
        evidenceOf,
        ({ verb, reason, grant_presented, digest, at, n }) => ({
          execution,
          verb,
          reason,
          grantPresented: grant_presented,
          digest,
          at: at as Instant,
          n,
        }),
        execution,
      ),
    unreferenced: (digests) => own.unreferenced(digests),
    refers: async (run, digest) => (await all(isReferencedBy, digestBytes(digest), run)).length > 0,
    unlisted: (after, limit) =>
      list(
        unlisted,
        ({ seq, run, version }) => ({ seq, run: run as RunId, version }),
        after,
        limit,
      ),
    unsignedHeads: (limit) =>
      list(
        unsignedHeads,
        ({ run, version, head }) => ({ run: run as RunId, version, hash: toHex(head) }),
        limit,
      ),
    seats: () => list(seatRows, seatRow),
    endedRuns: (after, before, limit) => list(endedRuns, endedRunOf, after, before, limit),
    chain: (run, after, limit) => list(chainOfRun, chainEntry, run, after, limit),
    ...metaReads(all),
  };
}

const endedRunOf = ({ seq, run, version, head, state }: EndedColumns) => ({
  ...{ seq, run: run as RunId, version, hash: toHex(head) },
  aggregate: JSON.parse(state) as RunAggregate,
});

function metaReads(all: All): Pick<Reads, 'archivedRuns' | 'fact' | 'facts' | 'referred'> {
  return {
    referred: async (after, limit) => {
      const from = after === null ? new Uint8Array() : digestBytes(after);
      const rows = await all(referredAfter, from, limit);
      return rows.map(({ digest, run, name }) => ({
        ...{ digest: digestText(digest), run: run as RunId | null, name },
      }));
    },
    archivedRuns: async (prefix, limit) => {
      const { from, to } = prefixRange(prefix);
      return (await all(factsFrom, archiveKey(from), archiveKey(to), limit)).map(archivedStream);
    },
    fact: async (name) => (await all(factByKey, factKey(name)))[0]?.value ?? null,
    facts: async (prefix, limit) => {
      const { from, to } = prefixRange(factKey(prefix));
      const rows = await all(factsFrom, from, to, limit);
      return rows.map(({ key, value }) => ({ name: factName(key), value }));
    },
  };
}

/** Null: any. */
function statusesOf({ status, open }: RunFilter): readonly RunRow['status'][] | null {
  const wanted = status ?? (open === true ? openStatuses : null);
  if (wanted === null || open !== true) return wanted;
  return wanted.filter((one) => openStatuses.includes(one));
}

const openStatuses: readonly RunRow['status'][] = [
  'active',
  'waiting_human',
  'paused',
  'needs_operator',
  'cancelling',
];
