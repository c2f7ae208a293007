/** Goal: whatever is changed behind the store's back is named. Method: change it, ask. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Store } from '../../src/ports/store.ts';
import { query } from '../../src/store/query.ts';
import { sqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { command, decideTest, grantOf, holder, runId } from './deciding.ts';
import { wallClock as clock, strangersConnection, temporary } from './opened.ts';

let directory: string;
let remove: () => void;
let store: Store;
const names = ['first', 'second', 'third'].map(runId);
const [first = runId(''), second = runId(''), third = runId('')] = names;

beforeEach(async () => {
  ({ directory, remove } = temporary());
  store = await sqliteStore({ directory, clock });
  for (const run of names) {
    const commands = [
      command(run, { type: 'start' }),
      command(run, { type: 'dispatch' }),
      command(run, { type: 'claim', grantId: grantOf('a'), holder }),
      command(run, { type: 'hint', text: 'look here' }),
      command(run, { type: 'timer', kind: 'wait', dueAt: 1, generation: 1 }),
      command(run, { type: 'ask', n: 1 }),
    ];
    await store.transact(commands, decideTest);
  }
  expect(await store.audit()).toMatchObject({ streams: 3, events: 18, erased: 0, problems: [] });
});
afterEach(async () => {
  await store.close();
  remove();
});

async function tamper(...statements: readonly string[]): Promise<void> {
  const stranger = await strangersConnection(directory);
  for (const statement of statements) stranger.exec(statement);
  stranger.close();
}

const problems = async () => (await store.audit()).problems;

test('one changed byte is named, with its stream and version', async () => {
  await tamper(
    "update events set data = replace(data, 'look here', 'look hers') where stream = 2 and version = 4",
  );
  expect(await problems()).toEqual([
    { stream: second, version: 4, what: 'the data of the event hint.added was changed' },
  ]);
});

test.each([
  ['its type', "type = 'hint.removed'"],
  ['its actor', "actor = 'somebody else'"],
  ['its time', 'at = at + 1'],
  ['its hash', 'hash = zeroblob(32)'],
  ['its format', 'format = format + 1'],
])('an event is named when %s was changed', async (_, change) => {
  await tamper(`update events set ${change} where stream = 1 and version = 3`);
  expect(await problems()).toMatchObject([{ stream: first, version: 3 }]);
});

test('changed data with a matching hash of its own still does not follow', async () => {
  await tamper(
    'update events set data = (select data from events where stream = 2 and version = 5),' +
      ' salt = (select salt from events where stream = 2 and version = 5),' +
      ' data_hash = (select data_hash from events where stream = 2 and version = 5)' +
      ' where stream = 2 and version = 4',
  );
  expect(await problems()).toMatchObject([{ stream: second, version: 4 }]);
});

test('a cut tail is named', async () => {
  await tamper('delete from events where stream = 3 and version > 4');
  expect(await problems()).toEqual([
    {
      stream: third,
      version: 4,
      what: 'the tail was cut: events end at 4, the run is at 6',
    },
  ]);
});

test('an event taken from the middle is named', async () => {
  await tamper('delete from events where stream = 1 and version = 2');
  expect(await problems()).toMatchObject([{ stream: first, version: 3 }]);
});

test('two events that changed places are named', async () => {
  await tamper(
    'update events set version = 99 where stream = 1 and version = 2',
    'update events set version = 2 where stream = 1 and version = 3',
    'update events set version = 3 where stream = 1 and version = 99',
  );
  expect(await problems()).toMatchObject([{ stream: first, version: 2 }]);
});

test('a run put back to an earlier version is named', async () => {
  await tamper(
    'update runs set version = 4, head = (select hash from events where stream = 1 and version = 4)' +
      ' where seq = 1',
  );
  expect(await problems()).toMatchObject([{ stream: first, version: 6 }]);
});

const tablesOf = query<[], { readonly name: string; readonly sql: string }>(
  "select name, sql from sqlite_schema where type = 'table'",
);

/** Deletes every row, in every table, that has anything to do with the stream. */
async function removeEverything(run: string, seq: number): Promise<void> {
  const stranger = await strangersConnection(directory);
  for (const { name, sql } of stranger.all(tablesOf)) {
    const has = (column: string) => new RegExp(`\\b${column} (integer|text)`).test(sql);
    if (name === 'leases')
      stranger.exec(`delete from leases where execution in
      (select seq from executions where run = ${seq})`);
    if (has('run') && name !== 'leases') stranger.exec(`delete from ${name} where run = ${seq}`);
    if (has('stream')) stranger.exec(`delete from ${name} where stream in (${seq}, '${run}')`);
    if (has('owner')) stranger.exec(`delete from ${name} where owner = ${seq}`);
    if (name === 'runs') stranger.exec(`delete from runs where seq = ${seq}`);
  }
  stranger.close();
}

test.each([
  ['the first', 1],
  ['one in the middle', 2],
  ['the last', 3],
])('a removed stream is named: %s', async (_, seq) => {
  const run = names[seq - 1] ?? '';
  await removeEverything(run, seq);
  expect(await store.loadRun(runId(run))).toBeNull();
  expect(await problems()).toEqual([
    { stream: run, version: null, what: 'the stream was removed' },
  ]);
});

test('all streams removed: the last is named, the others are counted', async () => {
  for (const [index, run] of names.entries()) await removeEverything(run, index + 1);
  expect(await problems()).toEqual([
    { stream: third, version: null, what: 'the stream was removed' },
    { stream: '*', version: null, what: '2 more removed beside it, names unknown' },
  ]);
});

test('events without their run, and a run without its events, are named', async () => {
  await tamper('delete from runs where seq = 1', 'delete from events where stream = 2');
  expect(await problems()).toEqual([
    { stream: first, version: 6, what: 'the row of the run is missing' },
    { stream: second, version: 0, what: 'the tail was cut: events end at 0, the run is at 6' },
  ]);
});

test('a stream put in beside the registry is named', async () => {
  await tamper(
    "insert into runs select 9, 'intruder', name, project, kind, status, phase, disposition," +
      ' reason, version, head, definition, created_at, updated_at, state from runs where seq = 1',
  );
  expect(await problems()).toMatchObject([{ stream: 'intruder' }]);
});

test('a renamed entry of the registry, and its missing head, are named', async () => {
  await tamper("update streams set stream = 'somebody' where seq = 2");
  expect((await problems()).map(({ stream }) => stream)).toContain('somebody');
  await tamper("delete from meta where key = 'streams'");
  expect((await problems()).map(({ what }) => what)).toContain(
    'the head of the registry of streams is missing',
  );
});

test('data erased without a record is named; the chain itself still closes', async () => {
  await tamper('update events set data = null, salt = null where stream = 1 and version = 4');
  expect(await store.audit()).toMatchObject({
    erased: 1,
    problems: [{ stream: first, version: null }],
  });
});
