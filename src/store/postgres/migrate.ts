/**
 * Brings a database to the format of this program; forward only, in one transaction, and once
 * however many start at the same time (D-56, D-59).
 */
import { WorldError } from '../../kernel/errors.ts';
import { storeFormat } from '../chain.ts';
import { type Migration, migrationDigest, migrationKey } from '../migration.ts';
import { query } from '../query.ts';
import { getMeta, setMeta } from '../sql/meta.ts';
import type { Database, Session } from './connect.ts';
import { spine } from './migrations/0001-spine.ts';
import { artifacts } from './migrations/0002-artifacts.ts';
import { lockKeys } from './sql/locks.ts';

/** Each raises the format by one, from 1. */
export const migrations: readonly Migration[] = [
  { name: '0001-spine', sql: spine },
  { name: '0002-artifacts', sql: artifacts },
];

/** So long is waited for another that migrates, and so long may the steps take together. */
const lockMs = 60_000;
const stepsMs = 600_000;

export const formatKey = 'format';

const hasMeta = query<[], { readonly there: boolean; readonly tables: number }>(
  `select to_regclass('meta') is not null as there,
  (select count(*) from pg_tables where schemaname = current_schema()) as tables`,
);

/**
 * Null: it is empty.
 * @throws WorldError `database_unusable` for a database that another program has filled.
 */
export async function formatOf(session: Session): Promise<number | null> {
  const [found] = await session.all(hasMeta);
  if (found?.there !== true) {
    if (found === undefined || found.tables === 0) return null;
    throw new WorldError(
      'database_unusable',
      `the database is no store of pawl: it has ${found.tables} tables of something else`,
    );
  }
  const [row] = await session.all(getMeta, formatKey);
  if (row === undefined)
    throw new WorldError('database_unusable', 'the database is no store of pawl');
  return Number(row.value);
}

/** @throws WorldError `store_newer` for a store that a later program has migrated. */
export function checkFormat(format: number, known = storeFormat): void {
  if (format <= known) return;
  const what = `the store has format ${format}, this pawl knows ${known}`;
  throw new WorldError('store_newer', what);
}

/**
 * Makes or migrates the store if it is not of this format; answers which format it had. `steps` are
 * others in tests alone.
 * @throws WorldError `store_newer`, `database_unusable`.
 */
export async function migrate(database: Database, steps = migrations): Promise<number | null> {
  return database.with(async (session) => {
    const before = await formatOf(session);
    if (before !== null) checkFormat(before, steps.length);
    if (before === steps.length) return before;
    // The format is read again under the lock: others may have been first.
    await session.exec(
      `begin; set local lock_timeout = ${lockMs}; set local statement_timeout = ${stepsMs};
      select pg_advisory_xact_lock(${lockKeys.space}, ${lockKeys.migration})`,
      stepsMs,
    );
    const now = await formatOf(session);
    if (now !== null) checkFormat(now, steps.length);
    await session.exec(stepsFrom(now ?? 0, steps), stepsMs);
    await session.all(setMeta, formatKey, String(steps.length));
    for (const step of steps.slice(now ?? 0)) {
      await session.all(setMeta, migrationKey(step.name), migrationDigest(step));
    }
    await session.exec('commit');
    return now;
  });
}

/** Whoever writes reads the format: he is waited for, or waits and then reads the new one. */
function stepsFrom(format: number, steps: readonly Migration[]): string {
  const hold = format === 0 ? '' : 'lock table meta in access exclusive mode;';
  return [hold, ...steps.slice(format).map(({ sql }) => sql)].join('\n');
}
