import { query } from '../query.ts';

/** A dispatch inserts, everything later updates; an offer outlives neither of them by itself. */
export const putExecution = query<
  [
    id: string,
    run: number,
    jobKey: string,
    role: string,
    attempt: number,
    no: number,
    status: string,
    className: string | null,
    worker: string | null,
    fence: number,
    createdAt: number,
    job: string,
  ]
>(`insert into executions(id, run, job_key, role, attempt, no, status, class, worker, fence,
  created_at, job)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
on conflict(id) do update set status = excluded.status, class = excluded.class,
  worker = excluded.worker, fence = excluded.fence, job = excluded.job`);
