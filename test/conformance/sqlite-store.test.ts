import { copyFileSync, existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { query } from '../../src/store/query.ts';
import { sqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { command, decideTest, runId } from './deciding.ts';
import { hintSuite, silentSuite } from './hints.suite.ts';
import { wallClock as clock, strangersConnection, temporary } from './opened.ts';
import { storeSuite } from './store.suite.ts';

const opened = async () => {
  const { directory, remove } = temporary();
  const store = await sqliteStore({ directory, clock });
  return { store, close: () => store.close().then(remove) };
};
storeSuite('SQLite store in a file', opened);
hintSuite('SQLite store in a file', opened);
silentSuite('SQLite store in a file', opened);

let directory: string;
let remove: () => void;
beforeEach(() => {
  ({ directory, remove } = temporary());
});
afterEach(() => remove());

const run = runId('one');
const start = [command(run, { type: 'start' })];
const open = (at = directory) => sqliteStore({ directory: at, clock });

test('another process, opened later, sees what was committed (EV-63, XP-30, ruling 7)', async () => {
  const first = await open();
  const second = await open();
  await first.transact(start, decideTest);
  expect(await second.loadRun(run)).toMatchObject({ version: 1 });
  await first.close();
  await second.close();
  const third = await open();
  expect(await third.loadRun(run)).toMatchObject({ version: 1 });
  await third.close();
});

test('the folder is made, and is private to its owner', async () => {
  const store = await open(join(directory, 'deep', 'state'));
  expect(statSync(join(directory, 'deep', 'state')).mode & 0o777).toBe(0o700);
  await store.close();
  mkdirSync(join(directory, 'loose'), { mode: 0o755 });
  await (await open(join(directory, 'loose'))).close();
  expect(statSync(join(directory, 'loose')).mode & 0o777).toBe(0o700);
});

test('readers go on while a writer is in the middle of a transaction (D-110)', async () => {
  const store = await open();
  await store.transact(start, decideTest);
  const stranger = await strangersConnection(directory);
  stranger.exec("begin immediate; update runs set name = 'half-written'");
  expect((await store.runs({ limit: 1 }))[0]).toMatchObject({ name: 'demo' });
  stranger.exec('rollback');
  stranger.close();
  await store.close();
});

test('a busy store is waited for, and nobody hears of it (D-110)', async () => {
  const store = await open();
  await store.transact(start, decideTest);
  const stranger = await strangersConnection(directory);
  stranger.exec('begin immediate');
  const hint = store.transact([command(run, { type: 'hint', text: 'x' })], decideTest);
  const beats = await countTurns(400);
  expect(beats, 'the process goes on meanwhile').toBeGreaterThan(2);
  stranger.exec('rollback');
  expect(await hint).toMatchObject([{ kind: 'committed', version: 2 }]);
  stranger.close();
  await store.close();
});

async function countTurns(ms: number): Promise<number> {
  const until = performance.now() + ms;
  let turns = 0;
  while (performance.now() < until) {
    await clock.sleep(10);
    turns += 1;
  }
  return turns;
}

test('a store that stays busy is named as busy after 10 s, and nothing was written', async () => {
  let ahead = 0;
  const hurried = {
    ...clock,
    monotonicMs: () => performance.now() + ahead,
    sleep: async () => {
      ahead += 3_000;
    },
  };
  const store = await sqliteStore({ directory, clock: hurried });
  const stranger = await strangersConnection(directory);
  stranger.exec('begin immediate');
  const [settled] = await store.transact(start, decideTest);
  expect(settled).toMatchObject({
    kind: 'unavailable',
    error: { code: 'store.busy', retryable: true },
  });
  await expect(
    store.beatSeat({
      seat: 'driver',
      holder: { worker: '', bootId: '', pid: 1, started: 1 },
      version: '',
    }),
  ).rejects.toMatchObject({ code: 'store.busy' });
  stranger.exec('rollback');
  stranger.close();
  expect(await store.loadRun(run)).toBeNull();
  expect(await store.transact(start, decideTest)).toMatchObject([{ kind: 'committed' }]);
  await store.close();
});

test('a store of a newer pawl is refused in one line, also by one that is running (D-61)', async () => {
  const running = await open();
  await running.transact(start, decideTest);
  const stranger = await strangersConnection(directory);
  stranger.exec('pragma user_version = 3');
  await expect(open()).rejects.toMatchObject({
    code: 'store_newer',
    message: 'the store has format 3, this pawl knows 2',
  });
  const [settled] = await running.transact([command(run, { type: 'end' })], decideTest);
  expect(settled).toMatchObject({ kind: 'unavailable', error: { code: 'store_newer' } });
  stranger.exec('pragma user_version = 2');
  stranger.close();
  expect(await running.loadRun(run)).toMatchObject({ version: 1 });
  await running.close();
});

test('nobody keeps a seat in a file that was taken away, though its writes arrive there (RR-42)', async () => {
  const store = await open();
  const holder = { worker: 'w', bootId: 'b', pid: 1, started: 1 };
  const seat = { seat: 'driver', holder, version: '1' } as const;
  expect(await store.takeSeat(seat, null)).toMatchObject({ ours: true });
  expect(await store.beatSeat(seat)).toBe(true);
  rmSync(join(directory, 'store.db'));
  await expect(store.beatSeat(seat)).rejects.toMatchObject({ code: 'store_unusable' });
  const other = await open();
  await expect(store.beatSeat(seat)).rejects.toThrow('was removed or replaced');
  await other.close();
  await store.close();
});

test('a file that is no store is left alone and named', async () => {
  writeFileSync(
    join(directory, 'store.db'),
    'not a database, but somebody keeps it here\n'.repeat(99),
  );
  await expect(open()).rejects.toMatchObject({ code: 'store_unusable' });
  rmSync(join(directory, 'store.db'));
  mkdirSync(join(directory, 'store.db'));
  await expect(open()).rejects.toMatchObject({ code: 'store_unusable' });
});

test('a folder that cannot be made is named, loudly (L-B19)', async () => {
  writeFileSync(join(directory, 'file'), '');
  await expect(open(join(directory, 'file', 'state'))).rejects.toMatchObject({
    code: 'store_unusable',
  });
});

test('what a killed creator left behind is no store and blocks nobody (L-K9)', async () => {
  writeFileSync(join(directory, 'store.db.new'), 'half');
  writeFileSync(join(directory, 'store.db.new-journal'), 'half');
  writeFileSync(join(directory, 'creating.lock'), '');
  const store = await open();
  expect(await store.transact(start, decideTest)).toMatchObject([{ kind: 'committed' }]);
  expect(existsSync(join(directory, 'store.db.new'))).toBe(false);
  await store.close();
});

test('the log of a store that was taken away does not destroy the next one', async () => {
  const store = await open();
  await store.transact(start, decideTest);
  copyFileSync(join(directory, 'store.db-wal'), join(directory, 'keep'));
  await store.close();
  rmSync(join(directory, 'store.db'));
  copyFileSync(join(directory, 'keep'), join(directory, 'store.db-wal'));
  const next = await open();
  expect(await next.runs({ limit: 10 })).toEqual([]);
  expect(existsSync(join(directory, 'store.db-wal.orphaned'))).toBe(true);
  await next.close();
});

test('after close every call is refused, and what was handed in before is written', async () => {
  const store = await open();
  const last = store.transact(start, decideTest);
  await store.close();
  expect(await last).toMatchObject([{ kind: 'committed' }]);
  await expect(store.loadRun(run)).rejects.toMatchObject({ code: 'store_closed' });
  await expect(store.transact(start, decideTest)).rejects.toMatchObject({ code: 'store_closed' });
  await expect(store.audit()).rejects.toMatchObject({ code: 'store_closed' });
  await store.close();
});

test('a step of 1 KB costs the same however long the history is (D-50, D-54)', async () => {
  const store = await open();
  await store.transact(start, decideTest);
  const hint = [command(run, { type: 'hint', text: 'x'.repeat(80) })];
  const size = async () => {
    const stranger = await strangersConnection(directory);
    const pages = stranger.pragma('page_count');
    stranger.close();
    return Number(pages) * 4096;
  };
  const before = await size();
  for (let n = 0; n < 100; n += 1) await store.transact(hint, decideTest);
  const hundred = (await size()) - before;
  for (let n = 0; n < 100; n += 1) await store.transact(hint, decideTest);
  expect((await size()) - before).toBeLessThanOrEqual(2.5 * hundred);
  await store.close();
});

const tables = query<[], { readonly name: string }>(
  "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' order by name",
);

test('the tables are those of design/store.md, and the registry of streams', async () => {
  await (await open()).close();
  const stranger = await strangersConnection(directory);
  expect(stranger.all(tables).map(({ name }) => name)).toEqual([
    'approvals',
    'artifact_refs',
    'artifacts',
    'budgets',
    'checkpoints',
    'drivers',
    'events',
    'evidence',
    'executions',
    'fires',
    'leases',
    'loops',
    'meta',
    'runs',
    'streams',
    'tasks',
    'timers',
    'tool_calls',
    'workers',
  ]);
  stranger.close();
});
