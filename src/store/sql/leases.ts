import { query } from '../query.ts';

/** The same grant again keeps its beat, signals and usage; a new one starts without. */
export const putLease = query<
  [execution: string, worker: string, bootId: string, pid: number, started: number, grantId: string]
>(`insert into leases(execution, worker, boot_id, pid, started, grant_id, beat)
select seq, $2, $3, $4, $5, $6, 0 from executions where id = $1
on conflict(execution) do update set worker = excluded.worker, boot_id = excluded.boot_id,
  pid = excluded.pid, started = excluded.started, grant_id = excluded.grant_id, beat = 0,
  expires_at = null, cancel_seen = 0, signals = null, usage = null
where leases.grant_id <> excluded.grant_id`);

export const dropLease = query<[execution: string]>(
  'delete from leases where execution = (select seq from executions where id = $1)',
);

/** Only the current grant beats, and not once it was decided expired; never back. */
export const beatLease = query<
  [execution: string, grantId: string, beat: number, signals: string, usage: string | null]
>(`update leases set beat = case when beat > $3 then beat else $3 end, signals = $4,
  usage = coalesce($5, usage)
where execution = (select seq from executions where id = $1) and grant_id = $2
  and expires_at is null`);

/** SQLite has no clock of its own: `expires_at` is when an observer decided it, for good. */
export const expireSilent = query<[execution: string, grantId: string, beat: number, at: number]>(
  `update leases set expires_at = $4
where execution = (select seq from executions where id = $1) and grant_id = $2 and beat = $3
  and expires_at is null`,
);

/** What the holder of the execution is told; no row: no such execution. */
export const runOfExecution = query<
  [execution: string],
  { readonly status: string; readonly state: string }
>(`select executions.status, runs.state from executions join runs on runs.seq = executions.run
where executions.id = $1`);
