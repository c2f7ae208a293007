/** The rows that one decision writes beside its events. */
import type { Execution } from '../../domain/execution/state.ts';
import { invariant } from '../../kernel/invariant.ts';
import type { ExecutionRow, Rows } from '../../ports/store.ts';
import { digestBytes } from '../bytes.ts';
import { isSameRow, jobKey } from '../execution-row.ts';
import { closeApproval, openApproval } from '../sql/approvals.ts';
import { dropLease, putLease } from '../sql/leases.ts';
import { moveExecution, putExecution } from '../sql/put-execution.ts';
import { putReference } from '../sql/references.ts';
import { dropTimer, putTimer } from '../sql/timers.ts';
import type { Connection } from './connection.ts';

export interface Stream {
  /** Its number. */
  readonly run: number;
  /** Its open executions as they were before the decision: what their rows say. */
  readonly before: readonly Execution[];
}

export function writeRows(connection: Connection, stream: Stream, rows: Rows): void {
  const { run } = stream;
  for (const row of rows.executions) writeExecution(connection, stream, row);
  for (const kind of rows.clearTimers) connection.run(dropTimer, run, kind);
  for (const { kind, generation, dueAt } of rows.setTimers) {
    connection.run(putTimer, run, kind, generation, dueAt);
  }
  writeApprovals(connection, run, rows);
  for (const { name, digest } of rows.references) {
    connection.run(putReference, run, name, digestBytes(digest));
  }
}

/**
 * The common step leaves a known execution's row and its lease as they are: its columns say the
 * same and its grant stays.
 */
function writeExecution(connection: Connection, { run, before }: Stream, row: ExecutionRow): void {
  const { id, role, attempt, n, status, lease, fence, createdAt, job } = row;
  const known = before.find((one) => one.id === id);
  const worker = lease?.holder.worker ?? null;
  if (known === undefined) {
    const what = [jobKey(row), role, attempt, n, status, row.class, worker, fence] as const;
    connection.run(putExecution, id, run, ...what, createdAt, JSON.stringify(job));
  } else if (!isSameRow(known, row))
    connection.run(moveExecution, id, status, row.class, worker, fence);
  if (lease === null) {
    // What was only dispatched never had one.
    if (status !== 'DISPATCHED') connection.run(dropLease, id);
  } else if (known?.grant?.id !== lease.grantId) {
    const { bootId, pid, started } = lease.holder;
    connection.run(putLease, id, lease.holder.worker, bootId, pid, started, lease.grantId);
  }
}

function writeApprovals(connection: Connection, run: number, rows: Rows): void {
  for (const { id, kind, askedAt, expiresAt, bound } of rows.openApprovals) {
    const { execution = null, args = null, tool = null, policy = null } = bound ?? {};
    const to = [execution, args, tool, policy] as const;
    connection.run(openApproval, id, run, kind, askedAt, expiresAt, ...to);
  }
  for (const { id, outcome, by, channel, at } of rows.closeApprovals) {
    const closed = connection.run(closeApproval, id, outcome, by, channel, at);
    invariant(closed === 1, `approval ${id} is open when it is resolved`);
  }
}
