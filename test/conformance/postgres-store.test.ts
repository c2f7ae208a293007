import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { databaseStatus } from '../../src/store/postgres/status.ts';
import {
  asStranger,
  emptied,
  emptyStore,
  machineBinaries,
  type PostgresServer,
  startPostgres,
} from '../support/postgres.ts';
import { command, decideTest, grantOf, holder, runId } from './deciding.ts';
import { hintSuite } from './hints.suite.ts';
import { wallClock as clock } from './opened.ts';
import { expectSlotsAreHeld } from './slots.ts';
import { storeSuite } from './store.suite.ts';

const url = await emptyStore(inject('postgres'));
const opened = async () => {
  await emptied(url);
  const store = await openPostgresStore({ url, clock });
  return { store, close: () => store.close() };
};
storeSuite('PostgreSQL store', opened);
hintSuite('PostgreSQL store', opened);

const run = runId('one');
const start = [command(run, { type: 'start' })];

test('servers that claim for one worker at once give it no more than its slots (XP-8)', async () => {
  const { store, close } = await opened();
  const others = await Promise.all([1, 2].map(() => openPostgresStore({ url, clock })));
  await expectSlotsAreHeld([store, ...others]);
  await Promise.all([close(), ...others.map((other) => other.close())]);
});

test('many who open an empty database at once make one store (D-56, D-59)', async () => {
  const empty = await emptyStore(inject('postgres'));
  const stores = await Promise.all(
    Array.from({ length: 6 }, () => openPostgresStore({ url: empty, clock, connectionsMax: 2 })),
  );
  await stores[0]?.transact(start, decideTest);
  for (const store of stores) expect(await store.loadRun(run)).toMatchObject({ version: 1 });
  expect(await databaseStatus(empty)).toMatchObject({
    format: 2,
    known: 2,
    migrations: [
      { name: '0001-spine', state: 'applied' },
      { name: '0002-artifacts', state: 'applied' },
    ],
  });
  await Promise.all(stores.map((store) => store.close()));
});

test('a store of a newer pawl is refused in one line, also by one that is running (D-61)', async () => {
  const { store: running, close } = await opened();
  await running.transact(start, decideTest);
  await running.transact([command(run, { type: 'dispatch' })], decideTest);
  await asStranger(url, "update meta set value = '3' where key = 'format'");
  const newer = { code: 'store_newer', message: 'the store has format 3, this pawl knows 2' };
  await expect(openPostgresStore({ url, clock })).rejects.toMatchObject(newer);
  const other = runId('two');
  for (const one of [command(run, { type: 'end' }), command(other, { type: 'start' })]) {
    const [settled] = await running.transact([one], decideTest);
    expect(settled).toMatchObject({ kind: 'unavailable', error: newer });
  }
  const id = `${run}.1` as Parameters<typeof running.offer>[0];
  await expect(running.offer(id, clock.now(), clock.now())).rejects.toMatchObject(newer);
  const seat = { seat: 'driver', holder, version: '1' } as const;
  await expect(running.takeSeat(seat, null)).rejects.toMatchObject(newer);
  const beat = { execution: id, grantId: grantOf('a'), beat: 1, signals: '', usage: null };
  await expect(running.heartbeat(beat)).rejects.toMatchObject(newer);
  await expect(running.expireLeases()).rejects.toMatchObject(newer);
  await asStranger(url, "update meta set value = '2' where key = 'format'");
  expect(await running.loadRun(run)).toMatchObject({ version: 2 });
  expect(await running.loadRun(other)).toBeNull();
  await close();
});

test('what is no store, or cannot be reached, is named', async () => {
  const strange = await emptyStore(inject('postgres'));
  await asStranger(strange, 'create table somebodys(x int)');
  // The advice of a store in a file (make the folder writable) would help nobody here.
  const cannot = { code: 'database_unusable' };
  await expect(openPostgresStore({ url: strange, clock })).rejects.toMatchObject(cannot);
  await expect(openPostgresStore({ url: 'mysql://x', clock })).rejects.toMatchObject(cannot);
  const nowhere = inject('postgres').replace(/postgres$/, 'nowhere');
  await expect(openPostgresStore({ url: nowhere, clock })).rejects.toMatchObject(cannot);
});

test('after close every call is refused, and what was handed in before is written', async () => {
  const { store } = await opened();
  const last = store.transact(start, decideTest);
  await store.close();
  expect(await last).toMatchObject([{ kind: 'committed' }]);
  await expect(store.loadRun(run)).rejects.toMatchObject({ code: 'store_closed' });
  await expect(store.transact(start, decideTest)).rejects.toMatchObject({ code: 'store_closed' });
  await store.close();
});

const [machine] = machineBinaries();
let older: PostgresServer | null = null;
let olderUrl = '';
beforeAll(async () => {
  if (machine === undefined) return;
  older = await startPostgres({ binaries: machine });
  olderUrl = older.url;
});
afterAll(() => older?.stop());

if (machine !== undefined) {
  storeSuite(`the server that the machine has (${machine})`, async () => {
    await emptied(olderUrl);
    const store = await openPostgresStore({ url: olderUrl, clock });
    return { store, close: () => store.close() };
  });
}
