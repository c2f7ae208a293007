/** A connection as the store wants it: WAL, every commit synced, and proof of both. */
import { invariant } from '../../kernel/invariant.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Binding } from './binding.ts';
import { type Connection, openConnection } from './connection.ts';
import { checkFormat, checkOwner, migrate } from './migrate.ts';
import { patiently } from './patience.ts';

/** Bytes to which the log is cut back after a checkpoint. */
export const walBytesKept = 16 * 1024 * 1024;

/** `synchronous` as SQLite reports FULL. */
const full = 2;

export interface StoreFile {
  readonly binding: Binding;
  readonly file: string;
  readonly clock: Clock;
}

/** @throws WorldError `store_newer`, `store_unusable`; TransientError `store.busy`. */
export async function openForWriting({ binding, file, clock }: StoreFile): Promise<Connection> {
  return opened(binding, file, async (connection) => {
    await patiently(clock, () => setUp(connection));
    checkOwner(connection, file);
    if (checkFormat(connection) === 'older') await patiently(clock, () => migrate(connection));
  });
}

/** As {@link openForWriting}, then refuses every write; sees each commit once it is announced. */
export async function openForReading(store: StoreFile): Promise<Connection> {
  const connection = await openForWriting(store);
  connection.exec('pragma query_only = on');
  return connection;
}

async function opened(
  binding: Binding,
  file: string,
  prepare: (connection: Connection) => Promise<void>,
): Promise<Connection> {
  const connection = await Promise.resolve(openConnection(binding, file));
  try {
    await prepare(connection);
    return connection;
  } catch (error: unknown) {
    connection.close();
    throw error;
  }
}

function setUp(connection: Connection): void {
  connection.exec('pragma busy_timeout = 50');
  const mode = connection.pragma('journal_mode');
  if (mode !== 'wal') connection.exec('pragma journal_mode = wal');
  // After the journal mode: a binding may have been built with WAL syncing less by default.
  connection.exec(`pragma synchronous = full; pragma fullfsync = on;
    pragma journal_size_limit = ${walBytesKept}; pragma trusted_schema = off`);
  invariant(connection.pragma('journal_mode') === 'wal', 'the store keeps a write-ahead log');
  invariant(connection.pragma('synchronous') === full, 'every commit is synced');
}
