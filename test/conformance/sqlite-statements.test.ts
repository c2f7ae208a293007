/** Every statement of src/store/sql is understood by SQLite and finds its rows by an index. */
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Query, SqlValue } from '../../src/store/query.ts';
import type { Connection } from '../../src/store/sqlite/connection.ts';
import { sqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { wallClock as clock, strangersConnection, temporary } from './opened.ts';

type Plan = Query<readonly SqlValue[], { readonly detail: string }>;

const { directory, remove } = temporary();
let connection: Connection;
beforeAll(async () => {
  await (await sqliteStore({ directory, clock })).close();
  connection = await strangersConnection(directory);
});
afterAll(() => {
  connection.close();
  remove();
});

const folder = resolve('src/store/sql');
const modules = readdirSync(folder).filter((file) => file.endsWith('.ts'));
const statements = (
  await Promise.all(
    modules.map(async (file) => {
      const loaded: Record<string, unknown> = await import(join(folder, file));
      return Object.entries(loaded).map(([name, value]) => ({ file, name, value }));
    }),
  )
).flat();

/** These read a small table whole, or give an answer about all rows, or walk the key to a limit. */
const walksWhole = [
  'allStreams',
  'strayStreams',
  'seatRows',
  'recentRuns',
  'countUnsigned',
  'keptHeads',
  'unlisted',
  'storeCounts',
  'dropApprovals',
  'endedRuns',
];
/** What is computed on the way is no table. */
const computed = /^SCAN (json_each|\()/;

test.each(statements)('$file: $name', ({ name, value }) => {
  const { text } = value as Query<readonly SqlValue[]>;
  const count = Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(([, digits]) => Number(digits)));
  for (let n = 1; n <= count; n += 1) expect(text, `$${n} is used`).toContain(`$${n}`);
  const plan: Plan = { text: `explain query plan ${text}` };
  const values = Array.from({ length: count }, () => null);
  const details = connection.all(plan, ...values).map(({ detail }) => detail);
  const scans = details.filter((detail) => /^SCAN/.test(detail) && !/USING.*INDEX/.test(detail));
  const unexpected = scans.filter((detail) => !computed.test(detail) && !walksWhole.includes(name));
  expect(unexpected, details.join('\n')).toEqual([]);
});

test('there are statements, and each is a query', () => {
  expect(statements.length).toBeGreaterThan(40);
  for (const { value } of statements) expect(value).toMatchObject({ text: expect.any(String) });
});
