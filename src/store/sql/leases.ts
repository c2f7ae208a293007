import { query } from '../query.ts';

/** The same grant again keeps its beat, signals and usage; a new one starts without. */
export const putLease = query<
  [execution: string, worker: string, bootId: string, pid: number, started: number, grantId: string]
>(`insert into leases(execution, worker, boot_id, pid, started, grant_id, beat)
select seq, $2, $3, $4, $5, $6, 0 from executions where id = $1
on conflict(execution) do update set worker = excluded.worker, boot_id = excluded.boot_id,
  pid = excluded.pid, started = excluded.started, grant_id = excluded.grant_id, beat = 0,
  cancel_seen = 0, signals = null, usage = null
where leases.grant_id <> excluded.grant_id`);

export const dropLease = query<[execution: string]>(
  'delete from leases where execution = (select seq from executions where id = $1)',
);

/** Only the current grant beats; a late beat never turns the count back. */
export const beatLease = query<
  [execution: string, grantId: string, beat: number, signals: string, usage: string | null]
>(`update leases set beat = case when beat > $3 then beat else $3 end, signals = $4,
  usage = coalesce($5, usage)
where execution = (select seq from executions where id = $1) and grant_id = $2`);

/** What the holder of the execution is told; no row: no such execution. */
export const runOfExecution = query<
  [execution: string],
  { readonly status: string; readonly state: string }
>(`select executions.status, runs.state from executions join runs on runs.seq = executions.run
where executions.id = $1`);
