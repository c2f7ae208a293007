import { query } from '../../query.ts';
import type { EventColumns } from '../../sql/events.ts';
import type { RunRowColumns } from '../../sql/runs.ts';

export interface LoadedColumns {
  readonly seq: number;
  readonly id: string;
  readonly version: number;
  readonly head: Uint8Array;
  readonly state: string;
}

/** All that the decisions of a drain need, in one statement. */
export const loadRuns = query<[ids: readonly string[]], LoadedColumns>(
  'select seq, id, version, head, state from runs where id = any($1::text[])',
);

export interface FollowedColumns extends EventColumns {
  readonly tx: string;
}

/**
 * In the order of (transaction, position), and only of transactions before which none is running:
 * positions are drawn before their commit, so a cursor of positions alone would step over whatever
 * commits late.
 */
export const followEvents = query<
  [tx: string, position: number, limit: number],
  FollowedColumns
>(`select e.tx::text as tx, e.position, streams.stream as run, e.version, e.actor, e.at, e.data
from events e join streams on streams.seq = e.stream
where (e.tx, e.position) > ($1::xid8, $2::bigint)
  and e.tx < pg_snapshot_xmin(pg_current_snapshot()) and e.data is not null
order by e.tx, e.position limit $3`);

/** Erased ones too: whoever was sent one is no stranger. */
export const reachesEvent = query<[tx: string, position: number], { readonly position: number }>(
  `select position from events where (tx, position) >= ($1::xid8, $2::bigint)
order by tx, position limit 1`,
);

type Filter = [
  project: string | null,
  since: number | null,
  statuses: readonly string[] | null,
  limit: number,
];

const columns = `select id, name, project, status, phase, disposition, reason, version, created_at,
  updated_at, state from runs`;

const filtered = `($1::text is null or project = $1) and ($2::bigint is null or updated_at >= $2)
  and ($3::text[] is null or status = any($3))`;

export const recentRuns = query<Filter, RunRowColumns>(
  `${columns} where ${filtered} order by seq desc limit $4`,
);

export const openRuns = query<Filter, RunRowColumns>(
  `${columns} where status not in ('complete', 'cancelled') and ${filtered}
order by seq desc limit $4`,
);

export const namedRuns = query<
  [...Filter, idFrom: string, idTo: string, name: string],
  RunRowColumns
>(
  `${columns} where ((id >= $5 and id < $6) or name = $7) and ${filtered}
order by seq desc limit $4`,
);

export const referenced = query<
  [digests: readonly string[]],
  { readonly digest: Uint8Array }
>(`select distinct digest from artifact_refs
where digest in (select decode(hex, 'hex') from unnest($1::text[]) as hex)`);

/** Which of the events that a lost connection was to write are there. */
export const writtenHeads = query<
  [streams: readonly string[], versions: readonly number[], hashes: readonly string[]],
  { readonly stream: string }
>(`select w.stream from unnest($1::text[], $2::bigint[], $3::text[]) as w(stream, version, hash)
join streams s on s.stream = w.stream
join events e on e.stream = s.seq and e.version = w.version and e.hash = decode(w.hash, 'hex')`);

/** Ends what a lost connection may still be doing; no row: nothing is left of it. */
export const endBackend = query<[application: string, pid: number], { readonly ended: boolean }>(
  `select pg_terminate_backend(pid) as ended from pg_stat_activity
where application_name = $1 and pid = $2 and pid <> pg_backend_pid()`,
);

/** A statement after the lock, so that it sees what the holder of the lock before it wrote. */
export const heldByWorkers = query<
  [workers: readonly string[]],
  { readonly worker: string; readonly held: number }
>(`select worker, count(*)::int as held from executions
where worker = any($1::text[]) and status not in ('SUCCEEDED', 'FAILED', 'CANCELLED', 'EXHAUSTED')
group by worker`);
