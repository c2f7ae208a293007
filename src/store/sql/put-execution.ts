import { query } from '../query.ts';

/** Of an execution that the run did not know as open. */
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

export const moveExecution = query<
  [id: string, status: string, className: string | null, worker: string | null, fence: number]
>('update executions set status = $2, class = $3, worker = $4, fence = $5 where id = $1');
