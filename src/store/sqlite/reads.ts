/** What is read, on the connection that cannot write: usable while others write. */
import type { Instant, RunId } from '../../domain/ids.ts';
import type { RunAggregate } from '../../domain/run/aggregate.ts';
import type { RunFilter, RunRow, Store } from '../../ports/store.ts';
import type { Query, SqlValue } from '../query.ts';
import { prefixRange } from '../run-filter.ts';
import { openApprovals } from '../sql/approvals.ts';
import { eventsAfter, eventsOfRun } from '../sql/events.ts';
import { evidenceOf } from '../sql/evidence.ts';
import { dispatchable, executionById, openExecutions } from '../sql/executions.ts';
import { loadRun } from '../sql/load-run.ts';
import { isReferenced, unlisted, unsignedHeads } from '../sql/references.ts';
import { namedRuns, openRuns, type RunRowColumns, recentRuns } from '../sql/runs.ts';
import { seatRows } from '../sql/seats.ts';
import { nextTimer, timersDue, timersOf } from '../sql/timers.ts';
import { digestBytes, toHex } from './bytes.ts';
import type { Connection } from './connection.ts';
import {
  approvalRow,
  dueTimer,
  executionRow,
  openExecution,
  runRow,
  seatRow,
  storedEvent,
} from './rows.ts';

/** Runs on the reading connection, patiently. */
export type Read = <T>(action: (connection: Connection) => T) => Promise<T>;

type Reads = Pick<
  Store,
  | 'loadRun'
  | 'runs'
  | 'events'
  | 'eventsAfter'
  | 'dispatchable'
  | 'openExecutions'
  | 'execution'
  | 'timersDue'
  | 'timersOf'
  | 'nextTimer'
  | 'openApprovals'
  | 'evidence'
  | 'unreferenced'
  | 'unlisted'
  | 'unsignedHeads'
  | 'seats'
>;

export function reads(read: Read): Reads {
  const list = <V extends readonly SqlValue[], Row, T>(
    query: Query<V, Row>,
    map: (row: Row) => T,
    ...values: V
  ): Promise<readonly T[]> => read((connection) => connection.all(query, ...values).map(map));
  return {
    loadRun: (run) =>
      read((connection) => {
        const row = connection.get(loadRun, run);
        if (row === undefined) return null;
        return { version: row.version, aggregate: JSON.parse(row.state) as RunAggregate };
      }),
    runs: (filter) => read((connection) => runs(connection, filter).map(runRow)),
    events: (run, after, limit) => list(eventsOfRun, storedEvent, run, after, limit),
    eventsAfter: (position, limit) => list(eventsAfter, storedEvent, position, limit),
    dispatchable: (now, limit) => list(dispatchable, executionRow, now, limit),
    openExecutions: () => list(openExecutions, openExecution),
    execution: (id) =>
      read((connection) => {
        const row = connection.get(executionById, id);
        return row === undefined ? null : openExecution(row);
      }),
    timersDue: (now, limit) => list(timersDue, dueTimer, now, limit),
    timersOf: (run) => list(timersOf, dueTimer, run),
    nextTimer: () =>
      read((connection) => (connection.get(nextTimer)?.due_at ?? null) as Instant | null),
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
    unreferenced: (digests) =>
      read((connection) =>
        digests.filter((one) => connection.get(isReferenced, digestBytes(one)) === undefined),
      ),
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
  };
}

function runs(connection: Connection, filter: RunFilter): readonly RunRowColumns[] {
  const { project = null, since = null, limit } = filter;
  const statuses = statusesOf(filter);
  if (filter.match !== undefined) {
    const { from, to } = prefixRange(filter.match);
    return connection.all(namedRuns, project, since, statuses, limit, from, to, filter.match);
  }
  const query = filter.open === true ? openRuns : recentRuns;
  return connection.all(query, project, since, statuses, limit);
}

/** A JSON array; null: any. */
function statusesOf({ status, open }: RunFilter): string | null {
  const wanted = status ?? (open === true ? openStatuses : null);
  if (wanted === null) return null;
  return JSON.stringify(
    open === true ? wanted.filter((one) => openStatuses.includes(one)) : wanted,
  );
}

const openStatuses: readonly RunRow['status'][] = [
  'active',
  'waiting_human',
  'paused',
  'needs_operator',
  'cancelling',
];
