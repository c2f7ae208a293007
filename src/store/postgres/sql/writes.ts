import { endedExecution } from '../../bounds.ts';
import { query } from '../../query.ts';
import type { ExecutionColumns } from '../../sql/executions.ts';
import { type SeatColumns, seatRow as seatById } from '../../sql/seats.ts';

/** Each answers one row with the format that it read; what was not of it has written nothing. */
export interface Formatted {
  readonly format: string;
}
const read = "f as (select value from meta where key = 'format')";
const ended = endedExecution.map((one) => `'${one}'`).join(', ');
/** Not the time of the transaction's start: that stands still while it waits. */
const fromNow = (ms: string) => `clock_timestamp() + ${ms}::float8 * interval '1 millisecond'`;

/** Only the current grant beats, and not once it was decided expired. */
export const beatLease = query<
  [
    format: string,
    execution: string,
    grantId: string,
    beat: number,
    signals: string,
    usage: string | null,
    ttlMs: number,
  ],
  Formatted & {
    readonly status: string | null;
    readonly state: string | null;
    readonly beaten: boolean;
  }
>(`with ${read},
e as (select x.seq, x.status, r.state from executions x join runs r on r.seq = x.run
  where x.id = $2),
b as (update leases l set beat = greatest(l.beat, $4::bigint), signals = $5,
    usage = coalesce($6, l.usage), expires_at = ${fromNow('$7')}
  from e, f where l.execution = e.seq and l.grant_id = $3 and not l.expired and f.value = $1
    and e.status not in (${ended})
  returning l.execution)
select f.value as format, e.status, e.state, exists (select from b) as beaten
from f left join e on true`);

export const expireLeases = query<[format: string], Formatted>(
  `with ${read},
u as (update leases l set expired = true from f
  where not l.expired and l.expires_at <= clock_timestamp() and f.value = $1
  returning l.execution)
select f.value as format from f`,
);

export const expiredExecutions = query<[], ExecutionColumns>(
  `select e.id, runs.id as run, e.no, e.role, e.attempt, e.status, e.class, e.job, e.fence,
  e.created_at, e.offered_until, l.grant_id, l.worker, l.boot_id, l.pid, l.started, l.beat,
  l.signals, l.usage
from leases l join executions e on e.seq = l.execution join runs on runs.seq = e.run
where l.expired and e.status not in (${ended}) order by e.seq`,
);

/**
 * One puller wins; an offer that has lapsed may be made again. Whose turn it has to be keeps the
 * seat until the offer is committed: a follower waits for the row, or came first. The commit is not
 * waited for on the disk: an offer that a crash of the database takes back lapses, and a claim
 * decides.
 */
export const offerExecution = query<
  [
    format: string,
    id: string,
    now: number,
    until: number,
    seat: string | null,
    bootId: string | null,
    pid: number | null,
    started: number | null,
  ],
  Formatted & { readonly moved: number }
>(`with ${read},
s as materialized (select set_config('synchronous_commit', 'off', true)),
t as (select true as held from drivers where seat = $5 and boot_id = $6 and pid = $7::bigint
  and started = $8::bigint for share),
u as (update executions e set offered_until = $4::bigint from f, s
  where e.id = $2 and e.status = 'DISPATCHED' and f.value = $1
    and (e.offered_until is null or e.offered_until <= $3::bigint)
    and ($5::text is null or exists (select from t))
  returning e.seq)
select f.value as format, (select count(*) from u) as moved from f`);

export const readFormat = query<[], Formatted>(
  "select value as format from meta where key = 'format'",
);

export const seatForUpdate = query<[seat: string], SeatColumns>(`${seatById.text} for update`);
