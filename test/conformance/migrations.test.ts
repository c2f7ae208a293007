/**
 * Goal: a store is moved to a format whole or not at all, on both databases, and can be looked at
 * whatever its format is. Method: steps of the tests' own above the real ones.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import type { StoreStatus } from '../../src/ports/store-admin.ts';
import type { Migration } from '../../src/store/migration.ts';
import { openDatabase } from '../../src/store/postgres/connect.ts';
import { migrate as migrateDatabase, migrations } from '../../src/store/postgres/migrate.ts';
import * as postgres from '../../src/store/postgres/postgres-store.ts';
import { databaseStatus } from '../../src/store/postgres/status.ts';
import { migrate as migrateFile, migrations as ofFile } from '../../src/store/sqlite/migrate.ts';
import * as sqlite from '../../src/store/sqlite/sqlite-store.ts';
import { fileStatus } from '../../src/store/sqlite/status.ts';
import { asStranger, emptyStore } from '../support/postgres.ts';
import { command, decideTest, runId } from './deciding.ts';
import { wallClock as clock, strangersConnection, temporary } from './opened.ts';

interface Place {
  readonly steps: readonly Migration[];
  make(): Promise<{ readonly from: number | null; readonly applied: readonly string[] }>;
  step(steps: readonly Migration[]): Promise<number | null>;
  status(): Promise<Omit<StoreStatus, 'seats'>>;
  change(sql: string): Promise<void>;
  open(): ReturnType<typeof postgres.openPostgresStore>;
  readonly setFormat: (format: number) => string;
}

async function onPostgres(): Promise<Place> {
  const url = await emptyStore(inject('postgres'));
  return {
    steps: migrations,
    make: () => postgres.migrateDatabase({ url, clock }),
    step: async (steps) => {
      const database = await openDatabase({ url, connectionsMax: 1 });
      try {
        return await migrateDatabase(database, steps);
      } finally {
        await database.close();
      }
    },
    status: () => databaseStatus(url),
    change: async (sql) => void (await asStranger(url, sql)),
    open: () => postgres.openPostgresStore({ url, clock }),
    setFormat: (format) => `update meta set value = '${format}' where key = 'format'`,
  };
}

let ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends) end();
  ends = [];
});

async function onSqlite(): Promise<Place> {
  const { directory, remove } = temporary();
  ends.push(remove);
  const asAnother = async <T>(
    use: (connection: Awaited<ReturnType<typeof strangersConnection>>) => T,
  ): Promise<T> => {
    const connection = await strangersConnection(directory);
    try {
      return use(connection);
    } finally {
      connection.close();
    }
  };
  return {
    steps: ofFile,
    make: () => sqlite.migrateFile({ directory, clock }),
    step: (steps) => asAnother((connection) => migrateFile(connection, steps)),
    status: async () => fileStatus(directory),
    change: (sql) => asAnother((connection) => connection.exec(sql)),
    open: () => sqlite.sqliteStore({ directory, clock }),
    setFormat: (format) => `pragma user_version = ${format}`,
  };
}

const good = { name: '0002-good', sql: 'create table later(x integer);' };
const broken = {
  name: '0003-broken',
  sql: 'create table half(x integer); create table runs(x integer);',
};

describe.each([
  ['SQLite', onSqlite],
  ['PostgreSQL', onPostgres],
] as const)('a store in %s', (_, place) => {
  let store: Place;
  beforeEach(async () => {
    store = await place();
  });

  test('is looked at without being made, and made once', async () => {
    const known = store.steps.length;
    const before = await store.status();
    expect(before).toMatchObject({ format: null, known, counts: null });
    expect(before.migrations.map(({ state }) => state)).toEqual(store.steps.map(() => 'pending'));
    expect((await store.status()).format).toBeNull();
    expect(await store.make()).toMatchObject({ from: null, to: known });
    expect(await store.make()).toEqual({ from: known, to: known, applied: [] });
    const made = await store.status();
    expect(made).toMatchObject({ format: known, counts: { runs: 0, living: 0, events: 0 } });
    expect(made.migrations.map(({ state }) => state)).toEqual(store.steps.map(() => 'applied'));
    expect(made.engine).toMatch(/^(SQLite|PostgreSQL) \d+\./);
    expect(made.bytes).toBeGreaterThan(1000);
  });

  test('counts its runs and events, those that have not ended too', async () => {
    const opened = await store.open();
    await opened.transact([command(runId('one'), { type: 'start' })], decideTest);
    const two = runId('two');
    await opened.transact([command(two, { type: 'start' })], decideTest);
    await opened.transact([command(two, { type: 'end' })], decideTest);
    expect((await store.status()).counts).toEqual({ runs: 2, living: 1, events: 3 });
    await opened.close();
  });

  test('keeps its format whole when a step breaks in the middle, and goes on when it is mended', async () => {
    await store.make();
    const run = runId('one');
    const opened = await store.open();
    await opened.transact([command(run, { type: 'start' })], decideTest);
    await expect(store.step([...store.steps, good, broken])).rejects.toThrow(/runs/);
    expect(await store.status()).toMatchObject({ format: store.steps.length, counts: { runs: 1 } });
    // Nothing is left of the steps before the broken one, and whoever was there goes on.
    await expect(store.change('select * from later')).rejects.toThrow(/later/);
    await expect(store.change('select * from half')).rejects.toThrow(/half/);
    const [settled] = await opened.transact([command(run, { type: 'dispatch' })], decideTest);
    expect(settled?.kind).toBe('committed');
    const mended = [...store.steps, good];
    expect(await store.step(mended)).toBe(store.steps.length);
    expect(await store.step(mended)).toBe(mended.length);
    await store.change('select * from later');
    await opened.close();
  });

  test('of a newer pawl is shown as that, and left alone in one line (D-61)', async () => {
    await store.make();
    await store.change(store.setFormat(7));
    expect(await store.status()).toMatchObject({ format: 7, counts: null });
    const newer = { code: 'store_newer', message: expect.stringMatching(/^[^\n]*format 7[^\n]*$/) };
    await expect(store.make()).rejects.toMatchObject(newer);
    await expect(store.open()).rejects.toMatchObject(newer);
    expect(await store.status()).toMatchObject({ format: 7 });
  });

  test('made by other steps is told', async () => {
    await store.make();
    await store.change("update meta set value = 'x' where key like 'migration:0001%'");
    const [first] = (await store.status()).migrations;
    expect(first).toEqual({ name: '0001-spine', state: 'altered' });
  });
});

test("a file that is another program's is named", () => {
  const { directory, remove } = temporary();
  ends.push(remove);
  mkdirSync(join(directory, 'x'));
  writeFileSync(join(directory, 'store.db'), 'not a database, but long enough to look like one');
  expect(() => fileStatus(directory)).toThrow(expect.objectContaining({ code: 'store_unusable' }));
});
