/** What there is in the database, looked at without making or migrating it. */
import { storeFormat } from '../chain.ts';
import { migrationStates } from '../migration.ts';
import { query } from '../query.ts';
import { seatRow } from '../rows.ts';
import { storeCounts } from '../sql/counts.ts';
import { appliedMigrations } from '../sql/meta.ts';
import { seatRows } from '../sql/seats.ts';
import type { BareStatus } from '../status.ts';
import { shownAddress } from './address.ts';
import { openDatabase, type Session } from './connect.ts';
import { formatOf, migrations } from './migrate.ts';
import { storeError } from './pg-error.ts';

const serverFacts = query<[], { readonly version: string; readonly bytes: number }>(
  `select current_setting('server_version') as version,
  pg_database_size(current_database()) as bytes`,
);

/** @throws WorldError `database_unusable`; TransientError `database_unreachable`. */
export async function databaseStatus(url: string): Promise<BareStatus> {
  const database = await openDatabase({ url, connectionsMax: 1 });
  try {
    return await database.with((session) => statusOf(session, url));
  } catch (error: unknown) {
    throw storeError(error);
  } finally {
    await database.close();
  }
}

async function statusOf(session: Session, url: string): Promise<BareStatus> {
  const [facts] = await session.all(serverFacts);
  const format = await formatOf(session);
  const isReadable = format !== null && format <= storeFormat;
  const rows = isReadable ? await session.all(appliedMigrations) : [];
  const digests = new Map(rows.map(({ key, value }) => [key, value]));
  return {
    kind: 'postgres',
    place: shownAddress(url),
    engine: `PostgreSQL ${facts?.version ?? ''}`,
    format,
    known: storeFormat,
    migrations: migrationStates(migrations, format ?? 0, digests),
    bytes: facts?.bytes ?? null,
    counts: isReadable ? ((await session.all(storeCounts))[0] ?? null) : null,
    seats: isReadable ? (await session.all(seatRows)).map(seatRow) : [],
  };
}
