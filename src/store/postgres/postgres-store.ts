/**
 * The store in a PostgreSQL database (design/store.md): the same promises as in a file, for any
 * number of processes on any number of machines.
 *
 * Commands of one process share transactions, processes meet by compare-and-set on the version of
 * each run; a lease has an instant at which it expires, by the clock of the database. A connection
 * that is lost in the middle of a commit leaves no guess: what became of it is looked up.
 */
import { WorldError } from '../../kernel/errors.ts';
import type { ArtifactStore } from '../../ports/artifacts.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ArtifactCollector } from '../../ports/collector.ts';
import type { FaultPoints } from '../../ports/fault-points.ts';
import type { Store } from '../../ports/store.ts';
import type { MigrationReport } from '../../ports/store-admin.ts';
import { hintBoard } from '../hints.ts';
import { migrationReport } from '../migration.ts';
import { patienceMs, pauseMs } from '../pause.ts';
import { type All, reads } from '../reads.ts';
import { postgresArtifacts } from './artifacts.ts';
import { auditDatabase } from './audit-database.ts';
import { postgresCollector } from './collect-artifacts.ts';
import { type Database, openDatabase, type Session } from './connect.ts';
import { drain } from './drain.ts';
import { migrate, migrations } from './migrate.ts';
import { notifying } from './notify.ts';
import { ownReads } from './own-reads.ts';
import { isContended, isLost, storeError } from './pg-error.ts';
import { type StoreClock, storeClock } from './store-clock.ts';
import { type Ways, writes } from './writes.ts';

export interface PostgresStoreOptions {
  /** `postgres://user:password@host:5432/name`; one store is one database. */
  readonly url: string;
  readonly clock: Clock;
  /** How long a lease lives without a heartbeat; 30 s when not said. */
  readonly leaseTtlMs?: number;
  /** Most connections of this process, beside the one that listens; 8 when not said. */
  readonly connectionsMax?: number;
  /**
   * `store.before_commit` (all is decided, nothing is sent) and `store.after_commit` (nobody has
   * heard yet); the shipped composition has none.
   */
  readonly faults?: FaultPoints;
}

/**
 * Opens the store, making its tables if the database is empty; waits at most 10 s for a server that
 * is starting.
 * @throws WorldError `store_newer`, `database_unusable`, `disk_full`; TransientError
 * `database_unreachable`.
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  return (await openPostgres(options)).store;
}

/** The store and its artifacts, over the same connections; closed with the store. */
export interface Postgres {
  readonly store: Store;
  readonly artifacts: ArtifactStore;
  readonly collector: ArtifactCollector;
  /** Its wall time is the database's, the same for every process of this store. */
  readonly clock: Clock;
}

/** As {@link openPostgresStore}. */
export async function openPostgres(options: PostgresStoreOptions): Promise<Postgres> {
  const database = await openDatabase(options);
  const told = storeClock(options.clock, database.with);
  try {
    await migrated(database, options.clock);
    await patiently(options.clock, isWorthAgain, told.ask);
  } catch (error: unknown) {
    told.end();
    await database.close();
    throw error;
  }
  return partsOf({ ...options, clock: told.clock }, database, told);
}

/**
 * Makes the store if the database is empty, or brings it to the format of this program.
 * @throws as {@link openPostgresStore}.
 */
export async function migrateDatabase(
  options: Pick<PostgresStoreOptions, 'url' | 'clock'>,
): Promise<MigrationReport> {
  const database = await openDatabase({ url: options.url, connectionsMax: 1 });
  try {
    return migrationReport(migrations, await migrated(database, options.clock));
  } finally {
    await database.close();
  }
}

const migrated = (database: Database, clock: Clock): Promise<number | null> =>
  patiently(clock, isWorthAgain, () => migrate(database));

const isWorthAgain = (error: unknown): boolean => isLost(error) || isContended(error);

function partsOf(options: PostgresStoreOptions, database: Database, told: StoreClock): Postgres {
  const { clock, faults } = options;
  const ttlMs = options.leaseTtlMs ?? 30_000;
  const board = hintBoard();
  const telling = notifying({ database, heard: board.tell });
  const committed = (): void => {
    board.tell();
    telling.committed();
  };
  let closed = false;
  const draining = drain({ database, clock, ttlMs, faults, committed });
  const way =
    (again: (error: unknown) => boolean) =>
    <T>(action: (session: Session) => Promise<T>): Promise<T> =>
      closed ? Promise.reject(closedError()) : patiently(clock, again, () => database.with(action));
  const repeatable: Ways['repeatable'] = way(isWorthAgain);
  const once: Ways['once'] = way(isContended);
  const all: All = (query, ...values) => repeatable((session) => session.all(query, ...values));
  const store: Store = {
    isShared: true,
    transact: (commands, decide) => draining.transact(commands, decide),
    ...writes({ repeatable, once, clock, ttlMs }),
    ...reads(all, ownReads(all)),
    hints: (listener) => {
      telling.listen();
      return board.hints(listener);
    },
    audit: () => repeatable(auditDatabase),
    close: async () => {
      if (closed) return;
      closed = true;
      told.end();
      await draining.close();
      await telling.close();
      await database.close();
    },
  };
  const artifacts = postgresArtifacts(repeatable);
  return { store, artifacts, collector: postgresCollector(repeatable), clock };
}

const closedError = () => new WorldError('store_closed', 'the store was closed');

/** Again while `again` says so, for at most {@link patienceMs}. */
async function patiently<T>(
  clock: Clock,
  again: (error: unknown) => boolean,
  action: () => Promise<T>,
): Promise<T> {
  const until = clock.monotonicMs() + patienceMs;
  for (let tries = 0; ; tries += 1) {
    try {
      return await action();
    } catch (error: unknown) {
      if (!again(error) || clock.monotonicMs() >= until) throw storeError(error);
      await clock.sleep(pauseMs(tries, Math.random()));
    }
  }
}
