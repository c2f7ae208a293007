/** What there is in the file, looked at without making or migrating it. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { storeFormat } from '../chain.ts';
import { migrationStates } from '../migration.ts';
import { query } from '../query.ts';
import { seatRow } from '../rows.ts';
import { storeCounts } from '../sql/counts.ts';
import { appliedMigrations } from '../sql/meta.ts';
import { seatRows } from '../sql/seats.ts';
import type { BareStatus } from '../status.ts';
import { sqliteBinding } from './binding.ts';
import { type Connection, openConnection } from './connection.ts';
import { checkOwner, formatOf, migrations } from './migrate.ts';
import { storeError } from './sqlite-error.ts';

const versionOf = query<[], { readonly version: string }>('select sqlite_version() as version');

/** @throws WorldError `store_unusable`; TransientError `store.busy`. */
export function fileStatus(directory: string): BareStatus {
  const file = join(directory, 'store.db');
  const bytes = sizeOf(file);
  const connection = openConnection(sqliteBinding(), bytes === null ? ':memory:' : file);
  try {
    connection.exec('pragma busy_timeout = 2000; pragma query_only = on');
    if (bytes !== null) checkOwner(connection, file);
    return statusOf(connection, file, bytes);
  } catch (error: unknown) {
    throw storeError(error);
  } finally {
    connection.close();
  }
}

function statusOf(connection: Connection, place: string, bytes: number | null): BareStatus {
  const format = bytes === null ? null : formatOf(connection);
  const isReadable = format !== null && format > 0 && format <= storeFormat;
  const rows = isReadable ? connection.all(appliedMigrations) : [];
  const digests = new Map(rows.map(({ key, value }) => [key, value]));
  return {
    kind: 'sqlite',
    place,
    engine: `SQLite ${connection.get(versionOf)?.version ?? ''}`,
    format,
    known: storeFormat,
    migrations: migrationStates(migrations, format ?? 0, digests),
    bytes: bytes === null ? null : bytes + (sizeOf(`${place}-wal`) ?? 0),
    counts: isReadable ? (connection.get(storeCounts) ?? null) : null,
    seats: isReadable ? connection.all(seatRows).map(seatRow) : [],
  };
}

const sizeOf = (path: string): number | null =>
  statSync(path, { throwIfNoEntry: false })?.size ?? null;
