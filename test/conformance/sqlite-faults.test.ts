/**
 * Goal: a failing statement takes nobody with it. Method: a real full disk, small enough to fill.
 */
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Settled } from '../../src/ports/store.ts';
import { query } from '../../src/store/query.ts';
import { sqliteBinding } from '../../src/store/sqlite/binding.ts';
import type { Connection } from '../../src/store/sqlite/connection.ts';
import { openForWriting } from '../../src/store/sqlite/open-file.ts';
import { sqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import type { Transaction } from '../../src/store/sqlite/transaction.ts';
import { writer } from '../../src/store/sqlite/writer.ts';
import { expectFoldIsProjection } from '../support/fold.ts';
import { command, decideTest, foldTest, runId, type TestCommand } from './deciding.ts';
import { wallClock as clock, temporary } from './opened.ts';

let directory: string;
let remove: () => void;
beforeEach(async () => {
  ({ directory, remove } = temporary());
  await (await sqliteStore({ directory, clock })).close();
});
afterEach(() => remove());

async function writerOf(prepare: (connection: Connection) => void) {
  const file = { binding: sqliteBinding(), file: join(directory, 'store.db'), clock };
  return writer({
    clock,
    open: async () => {
      const connection = await openForWriting(file);
      prepare(connection);
      return connection;
    },
  });
}

const deciding =
  (one: TestCommand) =>
  (transaction: Transaction): Settled<unknown> =>
    transaction.decide(one, decideTest);

const wide = 'x'.repeat(3_000);

test('SQLITE_FULL with 50 commands in the transaction: each is announced and there, or refused and not (L-K1)', async () => {
  const writing = await writerOf((connection) => {
    const pages = Number(connection.pragma('page_count'));
    connection.exec(`pragma max_page_count = ${pages + 40}`);
  });
  const runs = Array.from({ length: 50 }, (_, n) => runId(`r${n}`));
  const outcomes = await writing.write(
    runs.map((run) => (transaction: Transaction) => {
      deciding(command(run, { type: 'start' }))(transaction);
      return deciding(command(run, { type: 'hint', text: wide }))(transaction);
    }),
  );
  const there = outcomes.filter((outcome) => outcome.ok);
  expect(there.length).toBeGreaterThan(0);
  expect(there.length).toBeLessThan(50);
  for (const outcome of outcomes) {
    if (outcome.ok) expect(outcome.value).toMatchObject({ kind: 'committed', version: 2 });
    else expect(outcome.error).toMatchObject({ code: 'disk_full' });
  }
  await writing.close();
  const store = await sqliteStore({ directory, clock });
  for (const [index, run] of runs.entries()) {
    const stored = await store.loadRun(run);
    if (outcomes[index]?.ok === true) expect(stored).toMatchObject({ version: 2 });
    else expect(stored).toBeNull();
  }
  await expectFoldIsProjection(store, foldTest);
  expect((await store.audit()).problems).toEqual([]);
  await store.close();
});

const broken = query<[]>('insert into runs(seq) values (1)');

test('a work that SQLite refuses is found among its neighbours, who commit', async () => {
  const writing = await writerOf(() => {});
  const start = (name: string) => deciding(command(runId(name), { type: 'start' }));
  const poisonous = (transaction: Transaction) => transaction.connection.run(broken);
  const outcomes = await writing.write<unknown>([start('a'), poisonous, start('b')]);
  expect(outcomes.map(({ ok }) => ok)).toEqual([true, false, true]);
  expect(outcomes[1]).toMatchObject({ error: { name: 'InvariantViolation' } });
  const other = writing.write([start('c')]);
  expect(await other).toMatchObject([{ ok: true }]);
  await writing.close();
});

test('a work is applied anew after a roll-back, not twice', async () => {
  const writing = await writerOf(() => {});
  let tries = 0;
  const counting = (transaction: Transaction) => {
    tries += 1;
    return deciding(command(runId('a'), { type: 'start' }))(transaction);
  };
  const poisonous = (transaction: Transaction) => transaction.connection.run(broken);
  await writing.write<unknown>([counting, poisonous]);
  expect(tries).toBe(2);
  await writing.close();
  const store = await sqliteStore({ directory, clock });
  expect(await store.loadRun(runId('a'))).toMatchObject({ version: 1 });
  await store.close();
});

test('a store that cannot be opened tells the callers, and is tried again by the next', async () => {
  let refusals = 1;
  const file = { binding: sqliteBinding(), file: join(directory, 'store.db'), clock };
  const writing = writer({
    clock,
    open: () => {
      refusals -= 1;
      return refusals < 0 ? openForWriting(file) : Promise.reject(new Error('not now'));
    },
  });
  const start = deciding(command(runId('a'), { type: 'start' }));
  expect(await writing.write([start])).toMatchObject([
    { ok: false, error: { message: 'not now' } },
  ]);
  expect(await writing.write([start])).toMatchObject([{ ok: true }]);
  await writing.close();
});
