import { query } from '../query.ts';

export interface ExecutionColumns {
  readonly id: string;
  readonly run: string;
  readonly no: number;
  readonly role: string;
  readonly attempt: number;
  readonly status: string;
  readonly class: string | null;
  readonly job: string;
  readonly fence: number;
  readonly created_at: number;
  readonly offered_until: number | null;
  readonly grant_id: string | null;
  readonly worker: string | null;
  readonly boot_id: string | null;
  readonly pid: number | null;
  readonly started: number | null;
  readonly beat: number | null;
  readonly signals: string | null;
  readonly usage: string | null;
}

const columns = `select e.id, runs.id as run, e.no, e.role, e.attempt, e.status, e.class, e.job,
  e.fence, e.created_at, e.offered_until, l.grant_id, l.worker, l.boot_id, l.pid, l.started, l.beat,
  l.signals, l.usage
from executions e join runs on runs.seq = e.run left join leases l on l.execution = e.seq`;

/** Not offered, or the offer has lapsed; in the order in which they are to be served. */
export const dispatchable = query<[now: number, limit: number], ExecutionColumns>(
  `${columns}
where e.status = 'DISPATCHED' and (e.offered_until is null or e.offered_until <= $1)
order by e.priority, e.seq limit $2`,
);

/** The plus makes it use the index of the open ones: ended ones cost nothing, however many. */
export const openExecutions = query<[], ExecutionColumns>(
  `${columns}
where e.status not in ('SUCCEEDED', 'FAILED', 'CANCELLED', 'EXHAUSTED') order by +e.seq`,
);

/** SQLite: those whose lease an observer decided expired. */
export const silentExecutions = query<[], ExecutionColumns>(
  `${columns}
where l.expires_at is not null
  and e.status not in ('SUCCEEDED', 'FAILED', 'CANCELLED', 'EXHAUSTED') order by +e.seq`,
);

export const executionById = query<[id: string], ExecutionColumns>(`${columns} where e.id = $1`);

/** Whatever a worker holds, or cannot be proven not to hold. */
export const heldByWorker = query<[worker: string], { readonly held: number }>(
  `select count(*) as held from executions
where worker = $1 and status not in ('SUCCEEDED', 'FAILED', 'CANCELLED', 'EXHAUSTED')`,
);
