/**
 * Real PostgreSQL for tests: one server a run of the lane, a schema for each store.
 *
 * A test file of another lane starts its own with {@link startPostgres}; `npm run demo:…` uses the
 * same module, `tools/postgres.mjs`.
 */
import pg from 'pg';
import { machineBinaries, type PostgresServer, startPostgres } from '../../tools/postgres.mjs';

export { machineBinaries, type PostgresServer, startPostgres };

let made = 0;

/** Where an empty store is, in the database of that address; nobody else uses it. */
export async function emptyStore(url: string): Promise<string> {
  made += 1;
  const name = `s${process.pid}_${made}`;
  await asStranger(url, `create schema ${name}`);
  return `${url}?options=-c%20search_path%3D${name}`;
}

/** A database of one's own on that server, for tests that look at its sessions. */
export async function ownDatabase(url: string, name: string): Promise<string> {
  await asStranger(url, `create database ${name}`);
  return url.replace(/postgres$/, name);
}

/** As any other program would. */
export async function asStranger<Row>(
  url: string,
  sql: string,
  values: readonly unknown[] = [],
): Promise<readonly Row[]> {
  const client = await strangersClient(url);
  try {
    const { rows } = await client.query(sql, [...values]);
    return rows as Row[];
  } finally {
    await client.end();
  }
}

export async function strangersClient(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** Empties a store that is open nowhere: quicker than another one. */
export async function emptied(url: string): Promise<void> {
  await asStranger(
    url,
    `do $$ declare one text; begin
  for one in select tablename from pg_tables where schemaname = current_schema() loop
    if one <> 'meta' then execute format('delete from %I', one); end if;
  end loop;
  if to_regclass('meta') is not null then
    delete from meta where key <> 'format' and key not like 'migration:%';
  end if;
end $$`,
  );
}
