/** Rows of the tables → what the port promises. They were written by us, so they are believed. */
import type { ExecutionId, Instant } from '../domain/ids.ts';
import type { RunAggregate } from '../domain/run/aggregate.ts';
import type {
  ApprovalRow,
  DueTimer,
  ExecutionRow,
  OpenExecution,
  RunRow,
  SeatRow,
  StoredEvent,
} from '../ports/store.ts';
import type { EventEntry } from './audit.ts';
import { toHex } from './bytes.ts';
import type { ApprovalColumns } from './sql/approvals.ts';
import type { ChainColumns, EventColumns } from './sql/events.ts';
import type { ExecutionColumns } from './sql/executions.ts';
import type { RunRowColumns } from './sql/runs.ts';
import type { SeatColumns } from './sql/seats.ts';
import type { TimerColumns } from './sql/timers.ts';

export const runRow = (row: RunRowColumns): RunRow => ({
  id: row.id as RunRow['id'],
  name: row.name,
  project: row.project,
  status: row.status as RunRow['status'],
  phase: row.phase as RunRow['phase'],
  disposition: row.disposition as RunRow['disposition'],
  reason: row.reason as RunRow['reason'],
  version: row.version,
  createdAt: row.created_at as Instant,
  updatedAt: row.updated_at as Instant,
  aggregate: JSON.parse(row.state) as RunAggregate,
});

export const executionRow = (row: ExecutionColumns): ExecutionRow => ({
  id: row.id as ExecutionRow['id'],
  run: row.run as ExecutionRow['run'],
  n: row.no,
  role: row.role as ExecutionRow['role'],
  attempt: row.attempt,
  status: row.status as ExecutionRow['status'],
  class: row.class,
  job: JSON.parse(row.job) as ExecutionRow['job'],
  fence: row.fence,
  createdAt: row.created_at as Instant,
  lease: leaseOf(row),
});

function leaseOf(row: ExecutionColumns): ExecutionRow['lease'] {
  const { grant_id, worker, boot_id, pid, started } = row;
  if (grant_id === null || worker === null || boot_id === null) return null;
  if (pid === null || started === null) return null;
  type Lease = NonNullable<ExecutionRow['lease']>;
  return {
    grantId: grant_id as Lease['grantId'],
    holder: { worker, bootId: boot_id, pid, started },
  };
}

export const openExecution = (row: ExecutionColumns): OpenExecution => ({
  ...executionRow(row),
  offeredUntil: row.offered_until as Instant | null,
  beat: row.beat ?? 0,
  signals: row.signals,
  usage: row.usage === null ? null : (JSON.parse(row.usage) as OpenExecution['usage']),
});

export const storedEvent = (row: EventColumns): StoredEvent => ({
  position: String(row.position) as StoredEvent['position'],
  run: row.run as StoredEvent['run'],
  version: row.version,
  actor: row.actor,
  at: row.at as Instant,
  event: JSON.parse(row.data) as StoredEvent['event'],
});

export const dueTimer = (row: TimerColumns): DueTimer => ({
  run: row.run as DueTimer['run'],
  kind: row.kind as DueTimer['kind'],
  generation: row.generation,
  dueAt: row.due_at as Instant,
});

export const approvalRow = (row: ApprovalColumns): ApprovalRow => ({
  id: row.id as ApprovalRow['id'],
  run: row.run as ApprovalRow['run'],
  kind: row.kind,
  askedAt: row.asked_at as Instant,
  expiresAt: row.expires_at as Instant | null,
  ...(row.execution === null
    ? {}
    : {
        bound: {
          execution: row.execution as ExecutionId,
          args: row.args_digest ?? '',
          tool: row.tool_digest ?? '',
          policy: row.policy_digest ?? '',
        },
      }),
});

export const seatRow = (row: SeatColumns): SeatRow => ({
  seat: row.seat as SeatRow['seat'],
  holder: { worker: row.worker, bootId: row.boot_id, pid: row.pid, started: row.started },
  version: row.version,
  beat: row.beat,
  since: row.since as Instant,
});

/** For the check of the chain. */
export function chainEntry(row: ChainColumns): EventEntry {
  const { version, type, format, actor, at, data } = row;
  const salt = row.salt === null ? null : toHex(row.salt);
  const hashes = { dataHash: toHex(row.data_hash), hash: toHex(row.hash) };
  return { version, type, format, actor, at, data, salt, ...hashes };
}
