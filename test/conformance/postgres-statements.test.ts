/** Every statement that PostgreSQL is asked is understood by it and finds its rows by an index. */
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { type BatchRows, writeBatch } from '../../src/store/postgres/sql/write-batch.ts';
import type { Bound, Query } from '../../src/store/query.ts';
import { emptyStore, strangersClient } from '../support/postgres.ts';
import { wallClock as clock } from './opened.ts';

let client: pg.Client;
beforeAll(async () => {
  const url = await emptyStore(inject('postgres'));
  await (await openPostgresStore({ url, clock })).close();
  client = await strangersClient(url);
  // A scan of a whole table is then chosen only where nothing else is possible.
  await client.query('set enable_seqscan = off');
});
afterAll(() => client.end());

/** SQLite's own way of saying what `postgres/sql` says in PostgreSQL's. */
const ofSqliteAlone = [
  'recentRuns',
  'openRuns',
  'namedRuns',
  // There `expires_at` is an instant of the database's own clock.
  'expireSilent',
];
const folders = ['src/store/sql', 'src/store/postgres/sql'].map((one) => resolve(one));
const statements = (
  await Promise.all(
    folders.flatMap((folder) =>
      readdirSync(folder)
        .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
        .map(async (file) => {
          const loaded: Record<string, unknown> = await import(join(folder, file));
          return Object.entries(loaded)
            .filter(([, value]) => typeof (value as { text?: unknown }).text === 'string')
            .filter(([name]) => folder.includes('postgres') || !ofSqliteAlone.includes(name))
            .map(([name, value]) => ({ file, name, value: value as Query<readonly Bound[]> }));
        }),
    ),
  )
).flat();

/** These give an answer about all rows, or read a small table whole. */
const walksWhole = [
  'allStreams',
  'strayStreams',
  'seatRows',
  'countUnsigned',
  'keptHeads',
  'unlisted',
  'storeCounts',
  'dropApprovals',
  'endedRuns',
  // Narrow, a row for each that works now, and without an index so that a beat touches none.
  'expireLeases',
  'expiredExecutions',
];

async function scansOf(text: string): Promise<readonly string[]> {
  const { rows } = await client.query<{ 'QUERY PLAN': string }>(
    `explain (generic_plan, costs off) ${text}`,
  );
  const lines = rows.map((row) => row['QUERY PLAN']);
  return lines.filter((line) => /Seq Scan on/.test(line) && !/pg_|x_|_born/.test(line));
}

test.each(statements)('$file: $name', async ({ name, value }) => {
  const scans = await scansOf(value.text);
  if (!walksWhole.includes(name)) expect(scans).toEqual([]);
});

const parts: readonly (keyof BatchRows)[] = [
  'runs',
  'born',
  'events',
  'executions',
  'leases',
  'dropped',
  'timers',
  'cleared',
  'asked',
  'resolved',
  'references',
];
const rowsOf = (...wanted: readonly (keyof BatchRows)[]): BatchRows =>
  Object.fromEntries(
    parts.map((part) => [part, wanted.includes(part) ? [{}] : []]),
  ) as unknown as BatchRows;

test.each([
  ['a step', rowsOf('runs', 'events')],
  ['a birth', rowsOf('born', 'events', 'executions', 'timers', 'references')],
  ['everything at once', rowsOf(...parts)],
])('the statement of a drain: %s', async (_, rows) => {
  const { query } = writeBatch('2', rows, '{}');
  expect(await scansOf(query.text)).toEqual([]);
});

test('there are statements', () => {
  expect(statements.length).toBeGreaterThan(50);
});
