import { query } from '../../query.ts';

/** Advisory locks: a number of ours, and what is locked. */
export const lockKeys = { space: 0x7061776c, migration: 1, registry: 2 } as const;

/** New streams enter the registry one after another; the lock itself is no write. */
export const lockRegistry = query<[], never>(
  `select pg_advisory_xact_lock(${lockKeys.space}, ${lockKeys.registry})`,
);

/** Those who have lost a race for a run stand in line; in the order of ids, as everywhere. */
export const lockRuns = query<[runs: readonly string[]], never>(
  `select pg_advisory_xact_lock(${lockKeys.space}, hashtext(id))
from unnest($1::text[]) as id order by id`,
);

/** Refusals of one execution are counted one after another. */
export const lockEvidence = query<[execution: string], never>(
  `select pg_advisory_xact_lock(${lockKeys.space + 1}, hashtext($1))`,
);

/** A seat that nobody has yet has no row that could be locked. */
export const lockSeat = query<[seat: string], never>(
  `select pg_advisory_xact_lock(${lockKeys.space + 2}, hashtext($1))`,
);

/** A fact that nobody has set yet has no row that could be locked. */
export const lockFact = query<[key: string], never>(
  `select pg_advisory_xact_lock(${lockKeys.space + 3}, hashtext($1))`,
);

/** Leases of one worker are counted and granted one after another: before any run is locked. */
export const lockWorkers = query<[workers: readonly string[]], never>(
  `select pg_advisory_xact_lock(${lockKeys.space + 4}, hashtext(id))
from unnest($1::text[]) as id order by id`,
);

/** Its row, for whoever deletes it. */
export const lockRun = query<[id: string], { readonly seq: number }>(
  'select seq from runs where id = $1 for update',
);
