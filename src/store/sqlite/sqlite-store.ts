/**
 * The store in one SQLite file (design/store.md). Every process opens it by itself; SQLite's lock
 * makes their transactions one after another, and the write-ahead log lets readers go on meanwhile.
 *
 * It owns `store.db` and what SQLite puts beside it. A commit is on the disk when it is announced.
 * Commands, heartbeats and seats of one process share transactions; busy is waited out here.
 */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ProductError, WorldError } from '../../kernel/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { FaultPoints } from '../../ports/fault-points.ts';
import type { Decide, Settled, Store, StreamCommand } from '../../ports/store.ts';
import type { MigrationReport } from '../../ports/store-admin.ts';
import { hintBoard } from '../hints.ts';
import { migrationReport } from '../migration.ts';
import type { Query, SqlValue } from '../query.ts';
import { type All, reads } from '../reads.ts';
import { openExecution } from '../rows.ts';
import { silentExecutions } from '../sql/executions.ts';
import { auditFile } from './audit-file.ts';
import { sqliteBinding } from './binding.ts';
import type { Connection } from './connection.ts';
import { createOnce } from './create.ts';
import { migrations } from './migrate.ts';
import { openForReading, openForWriting, type StoreFile } from './open-file.ts';
import { ownReads } from './own-reads.ts';
import { patiently } from './patience.ts';
import { prepareDirectory } from './place.ts';
import { sqliteCode, storeError } from './sqlite-error.ts';
import { fileStatus } from './status.ts';
import { type Outcome, type Work, writer } from './writer.ts';
import { type Write, writes } from './writes.ts';

export interface SqliteStoreOptions {
  /** Made with mode 0700 when it is not there; on a disk of this machine. */
  readonly directory: string;
  readonly clock: Clock;
  /**
   * `store.before_commit` (all is written, nothing is committed) and `store.after_commit` (nobody
   * has heard yet); the shipped composition has none.
   */
  readonly faults?: FaultPoints;
}

/**
 * Opens the store, making it if it is not there.
 * @throws WorldError `store_network`, `store_newer`, `store_unusable`, `disk_full`;
 *   TransientError `store.busy`.
 */
export async function sqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const { directory, clock, faults } = options;
  prepareDirectory(directory);
  const file: StoreFile = {
    binding: sqliteBinding(),
    file: join(directory, 'store.db'),
    clock,
  };
  await createOnce(file.binding, file.file, clock).catch(rethrow);
  return storeOf(file, await openForReading(file).catch(rethrow), faults);
}

/**
 * Makes the store if there is none, or brings it to the format of this program.
 * @throws as {@link sqliteStore}.
 */
export async function migrateFile(
  options: Pick<SqliteStoreOptions, 'directory' | 'clock'>,
): Promise<MigrationReport> {
  const { directory } = options;
  const { format } = existsSync(join(directory, 'store.db'))
    ? fileStatus(directory)
    : { format: null };
  await (await sqliteStore(options)).close();
  return migrationReport(migrations, format);
}

function storeOf(file: StoreFile, reader: Connection, faults: FaultPoints | undefined): Store {
  const { clock } = file;
  const board = hintBoard();
  const watchLog = logWatcher(`${file.file}-wal`);
  let closed = false;
  const writing = writer({
    open: () => openForWriting(file),
    clock,
    faults,
    committed: (connection) => {
      board.tell();
      watchLog(connection);
    },
  });
  const all: All = (query, ...values) =>
    closed
      ? Promise.reject(closedError())
      : patiently(clock, () =>
          reader.all(
            query as Query<readonly SqlValue[], never>,
            ...(values as readonly SqlValue[]),
          ),
        );
  const write: Write = async (action) => {
    const [outcome] = await writing.write([({ connection }) => action(connection)]);
    if (outcome === undefined) throw closedError();
    if (!outcome.ok) throw outcome.error;
    return outcome.value;
  };
  const isInPlace = placeWatch(file.file);
  const own = writes(write, clock);
  return {
    transact: async <C extends StreamCommand, R>(commands: readonly C[], decide: Decide<C, R>) => {
      const works = commands.map(
        (command): Work<Settled<R>> =>
          (transaction) =>
            transaction.decide(command, decide),
      );
      return (await writing.write(works)).map(settledOf);
    },
    isShared: false,
    ...own,
    beatSeat: async (seat) => {
      // Who drives a file that nobody else can open any more drives nothing.
      if (!isInPlace())
        throw new WorldError('store_unusable', `${file.file} was removed or replaced`);
      return own.beatSeat(seat);
    },
    ...reads(all, ownReads(all)),
    // No instant at which a lease expires: an observer decides it (ADR 0015).
    expireLeases: async () => (await all(silentExecutions)).map(openExecution),
    hints: board.hints,
    audit: async () => {
      if (closed) throw closedError();
      const connection = await openForReading(file);
      try {
        return await auditFile(connection);
      } finally {
        connection.close();
      }
    },
    close: async () => {
      if (closed) return;
      closed = true;
      await writing.close();
      reader.close();
    },
  };
}

/** A failure of the world may be tried again later; anything else is this command's own. */
function settledOf<R>(outcome: Outcome<Settled<R>>): Settled<R> {
  if (outcome.ok) return outcome.value;
  const { error } = outcome;
  return { kind: error instanceof ProductError ? 'unavailable' : 'threw', error };
}

const closedError = () => new WorldError('store_closed', 'the store was closed');

function rethrow(error: unknown): never {
  throw storeError(error);
}

/** Whether the file at the path is the one that was opened. */
function placeWatch(file: string): () => boolean {
  const idOf = (): string | null => {
    const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
    return stat === undefined ? null : `${stat.dev}:${stat.ino}`;
  };
  const opened = idOf();
  return () => idOf() === opened;
}

/** The log is looked at once in so many commits, and emptied when readers have let it grow. */
const commitsBetweenLooks = 256;
const walBytesMax = 64 * 1024 * 1024;

function logWatcher(log: string): (connection: Connection) => void {
  let commits = 0;
  return (connection) => {
    commits += 1;
    if (commits % commitsBetweenLooks !== 0) return;
    const bytes = statSync(log, { throwIfNoEntry: false })?.size ?? 0;
    if (bytes > walBytesMax) emptyLog(connection);
  };
}

/** Answers "busy" while a reader still needs the log; the next look tries again. */
function emptyLog(connection: Connection): void {
  try {
    connection.pragma('wal_checkpoint(truncate)');
  } catch (error: unknown) {
    // A disk that fails is for the next commit to tell, which has somebody to tell it to.
    if (sqliteCode(error) === null) throw error;
  }
}
