import { query } from '../query.ts';

export interface RunRowColumns {
  readonly id: string;
  readonly name: string;
  readonly project: string;
  readonly status: string;
  readonly phase: string | null;
  readonly disposition: string | null;
  readonly reason: string | null;
  readonly version: number;
  readonly created_at: number;
  readonly updated_at: number;
  readonly state: string;
}

type Filter = [
  project: string | null,
  since: number | null,
  /** A JSON array; null: any. */
  statuses: string | null,
  limit: number,
];

const columns = `select id, name, project, status, phase, disposition, reason, version, created_at,
  updated_at, state from runs`;

const filtered = `($1 is null or project = $1) and ($2 is null or updated_at >= $2)
  and ($3 is null or status in (select value from json_each($3)))`;

/** Newest first. Reads backward from the end until the limit is reached. */
export const recentRuns = query<Filter, RunRowColumns>(
  `${columns} where ${filtered} order by seq desc limit $4`,
);

/**
 * Those that have not ended, by their own index: ended ones cost nothing, however many. The plus
 * keeps the order from being taken as a reason to walk through the whole table instead.
 */
export const openRuns = query<Filter, RunRowColumns>(
  `${columns} where status not in ('complete', 'cancelled') and ${filtered}
order by +seq desc limit $4`,
);

/** By a range of ids (a prefix) or by the exact name. */
export const namedRuns = query<
  [...Filter, idFrom: string, idTo: string, name: string],
  RunRowColumns
>(
  `${columns} where ((id >= $5 and id < $6) or name = $7) and ${filtered}
order by +seq desc limit $4`,
);
