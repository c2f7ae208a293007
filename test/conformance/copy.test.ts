/**
 * Goal: a copied store is the store that was copied, row by row, and an interruption, a broken
 * source or a filled target leaves nothing of it. Method: a real file, a real database, and the
 * tables of both read by strangers.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import type { Digest } from '../../src/domain/ids.ts';
import { WorldError } from '../../src/kernel/errors.ts';
import type { ArtifactStore } from '../../src/ports/artifacts.ts';
import type { Store } from '../../src/ports/store.ts';
import { diskArtifacts } from '../../src/store/artifacts/disk-artifacts.ts';
import { copyStore } from '../../src/store/copy/copy-store.ts';
import type { CopyOptions } from '../../src/store/copy/options.ts';
import { countRows, pagesOf } from '../../src/store/copy/source.ts';
import { type ColumnKind, copiedTables, leftOut } from '../../src/store/copy/tables.ts';
import { openPostgres, openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { databaseStatus } from '../../src/store/postgres/status.ts';
import { query } from '../../src/store/query.ts';
import { sqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { asStranger, emptyStore, strangersClient } from '../support/postgres.ts';
import {
  approvalId,
  command,
  decideTest,
  executionId,
  grantOf,
  holder,
  runId,
} from './deciding.ts';
import { wallClock as clock, strangersConnection, temporary } from './opened.ts';

let directory: string;
let remove: () => void;
let url: string;
let artifacts: ArtifactStore;
let small: Digest;
let large: Digest;
beforeEach(async () => {
  ({ directory, remove } = temporary());
  artifacts = diskArtifacts({ directory: `${directory}/artifacts` });
  small = await artifacts.put('one', 'output');
  large = await artifacts.put(largeBytes, 'output');
  url = await emptyStore(inject('postgres'));
});
afterEach(() => remove());

const [ended, parked, many] = [runId('ended'), runId('parked'), runId('many')];
/** Of three chunks. */
const largeBytes = Buffer.alloc(1_300_000, 'large ');

async function filled(): Promise<Store> {
  const store = await sqliteStore({ directory, clock });
  const all = [
    command(ended, { type: 'start', name: 'it’s "quoted" \\ ünicode' }),
    command(ended, { type: 'dispatch' }),
    command(ended, { type: 'claim', grantId: grantOf('a'), holder }, { actor: 'a\0b' }),
    command(ended, { type: 'seal' }),
    command(ended, { type: 'refer', name: 'output', digest: small }),
    command(ended, { type: 'hint', text: 'half of a pair: \ud800, and a NUL: \0' }),
    command(ended, { type: 'end' }),
    command(parked, { type: 'start' }),
    command(parked, { type: 'ask', n: 1 }),
    command(parked, { type: 'ask', n: 2 }),
    command(parked, { type: 'resolve', n: 2 }),
    command(parked, { type: 'timer', kind: 'wait', dueAt: 5, generation: 2 }),
    command(many, { type: 'start' }),
    command(many, { type: 'hints', texts: Array.from({ length: 650 }, (_, n) => `hint ${n}`) }),
    command(many, { type: 'end' }),
  ];
  for (const one of all)
    expect((await store.transact([one], decideTest))[0]?.kind).toBe('committed');
  await store.keepHead({ run: ended, version: 6 }, large);
  await store.recordEvidence({
    ...{ execution: executionId(ended, 1), verb: 'seal', reason: 'grant.stale' },
    ...{ grantPresented: 'x', digest: null, at: clock.now() },
  });
  await store.swapFact('worker:1', null, '{"key":"k"}');
  await store.keepListed({ run: ended, version: 6 }, []);
  // As a run that waits for its operator: nobody works on it.
  await change("update runs set status = 'needs_operator' where id like 'parked%'");
  return store;
}

async function change(sql: string): Promise<void> {
  const stranger = await strangersConnection(directory);
  stranger.exec(sql);
  stranger.close();
}

const copy = (more: Partial<CopyOptions> = {}) =>
  copyStore({
    ...{ directory, url, clock, artifacts },
    ...{ lives: () => false, judge: async () => [], progress: () => {}, ...more },
  });

/** Nothing but what a migration makes. */
async function expectEmpty(): Promise<void> {
  const { counts } = await databaseStatus(url);
  if (counts === null) return;
  for (const { name } of copiedTables) {
    const where = name === 'meta' ? "where key <> 'format' and key not like 'migration:%'" : '';
    expect({ name, rows: await asStranger(url, `select * from ${name} ${where}`) }).toEqual({
      name,
      rows: [],
    });
  }
}

test('every table and column of both databases is copied, or left out by name', async () => {
  await (await sqliteStore({ directory, clock })).close();
  await (await openPostgresStore({ url, clock })).close();
  const kinds: Readonly<Record<string, ColumnKind>> = {
    ...{ integer: 'int', real: 'real', text: 'text', blob: 'blob', bigint: 'int' },
    ...{ bytea: 'blob', 'double precision': 'real' },
  };
  const expected = copiedTables.map(({ name, columns }) => [name, [...columns].sort()] as const);
  const stranger = await strangersConnection(directory);
  const names = query<[], { readonly name: string }>(
    "select name from sqlite_schema where type = 'table'",
  );
  const found = stranger.all(names).map(({ name }) => {
    const info = query<[], { readonly name: string; readonly type: string }>(
      `pragma table_info(${name})`,
    );
    const columns = stranger.all(info).map((one) => [one.name, kinds[one.type.toLowerCase()]]);
    return [name, columns.sort()] as const;
  });
  stranger.close();
  const sorted = (tables: readonly (readonly [string, unknown])[]) =>
    tables.filter(([name]) => !leftOut.includes(name)).sort(([a], [b]) => (a < b ? -1 : 1));
  expect(sorted(found)).toEqual(sorted(expected));
  const rows = await asStranger<{ t: string; c: string; d: string }>(
    url,
    `select table_name as t, column_name as c, data_type as d from information_schema.columns
    where table_schema = current_schema() and column_name <> 'tx'`,
  );
  for (const [name, columns] of expected) {
    const there = rows.filter(({ t }) => t === name).map(({ c, d }) => [c, kinds[d]]);
    expect([name, there.sort()]).toEqual([name, columns]);
  }
});

test('the copy is the store, row by row, and goes on from there', async () => {
  const store = await filled();
  const told: string[] = [];
  const report = await copy({
    progress: ({ table, done, of }) => told.push(`${table} ${done} of ${of}`),
  });
  const all = { copied: 2, bytes: 3 + largeBytes.byteLength };
  expect(report).toMatchObject({ runs: 3, living: 1, artifacts: all });
  expect(report.events).toBe((await store.audit()).events);
  expect(told.slice(0, 2)).toEqual(['artifacts 1 of 2', 'artifacts 2 of 2']);
  expect(told.length).toBeGreaterThan(8);
  const stranger = await strangersConnection(directory);
  for (const table of copiedTables) {
    const columns = table.columns.map(([name, kind]) =>
      kind === 'blob'
        ? `encode(${name}, 'hex') as ${name}`
        : `${name}${kind === 'int' ? '::float8' : ''} as ${name}`,
    );
    const key = table.key.includes('rowid') ? (table.columns[0]?.[0] ?? '') : table.key.join(', ');
    const own = table.name === 'meta' ? "where key <> 'format' and key not like 'migration:%'" : '';
    const is = await asStranger(
      url,
      `select ${columns.join(', ')} from ${table.name} ${own} order by ${key}`,
    );
    const was = [...pagesOf(stranger, table)].flat();
    const byText = (rows: readonly unknown[]) => rows.map((row) => JSON.stringify(row)).sort();
    expect([table.name, byText(is)]).toEqual([table.name, byText(was)]);
  }
  expect(countRows(stranger, { name: 'events' } as never)).toBeGreaterThan(650);
  stranger.close();
  const copied = await openPostgresStore({ url, clock });
  expect(await copied.audit()).toEqual(await store.audit());
  const fresh = runId('fresh');
  const next = [
    command(fresh, { type: 'start' }),
    command(fresh, { type: 'dispatch' }),
    command(fresh, { type: 'ask', n: 1 }),
  ];
  for (const one of next)
    expect((await copied.transact([one], decideTest))[0]?.kind).toBe('committed');
  expect((await copied.eventsAfter(null, 1000)).at(-1)?.run).toBe(fresh);
  expect((await copied.openApprovals()).map(({ id }) => id)).toEqual([
    approvalId(parked, 1),
    approvalId(fresh, 1),
  ]);
  expect(await copied.timersOf(parked)).toHaveLength(1);
  expect((await copied.audit()).problems).toEqual([]);
  await copied.close();
  await store.close();
});

const pathOf = (digest: Digest) =>
  join(directory, 'artifacts', digest.slice(7, 9), digest.slice(9));

/** Artifacts that anybody can see there, and what lies there of unfinished ones. */
async function thereOf(): Promise<{ readonly seen: number; readonly unfinished: number }> {
  const [row] = await asStranger<{ readonly seen: string; readonly unfinished: string }>(
    url,
    `select (select count(*) from artifacts) as seen, (select count(*) from artifact_uploads) as
    unfinished`,
  );
  return { seen: Number(row?.seen), unfinished: Number(row?.unfinished) };
}

test('the bytes that rows refer to come along, and nothing else does', async () => {
  await artifacts.put('of nobody', 'output');
  await (await filled()).close();
  await copy();
  rmSync(join(directory, 'artifacts'), { recursive: true });
  const there = await openPostgres({ url, clock });
  expect(await there.artifacts.get(small)).toEqual(Buffer.from('one'));
  expect(largeBytes.equals((await there.artifacts.get(large)) ?? Buffer.of())).toBe(true);
  expect(await thereOf()).toEqual({ seen: 2, unfinished: 0 });
  await there.store.close();
});

test('bytes that are missing or changed are named with who refers to them, and nothing is put', async () => {
  await (await filled()).close();
  const bytes = readFileSync(pathOf(large));
  bytes[1_200_000] = (bytes[1_200_000] ?? 0) ^ 1;
  writeFileSync(pathOf(large), bytes);
  rmSync(pathOf(small));
  const found = [
    `${small} (output of ${ended}) is missing`,
    `${large} (head/6 of ${ended}) was changed`,
  ];
  const refusal = {
    code: 'copy_refused',
    message: expect.stringContaining('2 of the artifacts'),
    details: { found: found.sort().join('; '), so: 'nothing was copied' },
  };
  await expect(copy()).rejects.toMatchObject(refusal);
  await expectEmpty();
  expect(await thereOf()).toEqual({ seen: 0, unfinished: 0 });
  await artifacts.put('one', 'output');
  writeFileSync(pathOf(large), largeBytes);
  expect((await copy()).artifacts.copied).toBe(2);
});

test.each([
  [
    'fails in the middle of one',
    () => new Error('the disk is gone'),
    { message: expect.stringContaining('disk is gone') },
  ],
  [
    'reads other bytes than it read before',
    () => new WorldError('artifact_damaged', 'not those it names'),
    {
      code: 'copy_refused',
      details: { found: expect.stringMatching(/head.6 of endedx+\) was changed/) },
    },
  ],
])(
  'a copy of bytes that %s leaves nothing that is seen, and the next one goes on',
  async (_, thrown, error) => {
    await (await filled()).close();
    let reads = 0;
    async function* cut(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      for await (const part of bytes) {
        yield part;
        throw thrown();
      }
    }
    const failing: Pick<ArtifactStore, 'parts'> = {
      parts: async (digest) => {
        const found = await artifacts.parts(digest);
        if (digest !== large || found === null) return found;
        reads += 1;
        return reads === 1 ? found : { ...found, bytes: cut(found.bytes) };
      },
    };
    await expect(copy({ artifacts: failing })).rejects.toMatchObject(error);
    await expectEmpty();
    expect((await thereOf()).unfinished).toBe(0);
    expect((await copy()).artifacts.copied).toBe(2);
    expect(await thereOf()).toEqual({ seen: 2, unfinished: 0 });
  },
);

test('nothing is committed when a collector has taken bytes meanwhile', async () => {
  await (await filled()).close();
  const taken = async () => {
    await asStranger(url, "update artifacts set state = 'deleting' where size = 3");
    return [];
  };
  const error = { code: 'artifact_missing', message: expect.stringContaining(small) };
  await expect(copy({ judge: taken })).rejects.toMatchObject(error);
  await expectEmpty();
  expect((await copy()).artifacts.copied).toBe(2);
});

test.each([
  ['a run is at work', "update runs set status = 'active' where id like 'many%'", /manyx.*active/],
  [
    'an execution is open',
    "update executions set status = 'UNKNOWN'",
    /endedxxxxxxx \(cancelled\)/,
  ],
  [
    'a byte was changed',
    "update events set data = replace(data, 'hint 300', 'hint 301') where stream = 3",
    /the data of the event hint.added was changed/,
  ],
  [
    'a stream was removed',
    'delete from streams where seq = 2; delete from runs where seq = 2; delete from events where stream = 2',
    /the stream was removed/,
  ],
])('nothing is copied where %s', async (_, sql, found) => {
  await (await filled()).close();
  await change(sql);
  const error = { code: 'copy_refused', details: { found: expect.stringMatching(found) } };
  await expect(copy()).rejects.toMatchObject(error);
  await expectEmpty();
});

test('nothing is copied while a driver lives, nor where there is no store', async () => {
  await expect(copy()).rejects.toMatchObject({ code: 'copy_refused' });
  const store = await filled();
  await store.takeSeat({ seat: 'driver', holder, version: '1' }, null);
  const error = { code: 'copy_refused', message: expect.stringContaining('driver pid 4711') };
  await expect(copy({ lives: () => true })).rejects.toMatchObject(error);
  expect((await copy({ lives: () => false })).runs).toBe(3);
  await store.close();
});

test('a database that has anything in it is refused, and so is one of a newer pawl', async () => {
  await (await filled()).close();
  const target = await openPostgresStore({ url, clock });
  await target.swapFact('x', null, 'y');
  const refusal = { code: 'copy_refused', details: { found: 'rows in meta' } };
  await expect(copy()).rejects.toMatchObject(refusal);
  await target.swapFact('x', 'y', null);
  await target.close();
  await asStranger(url, "update meta set value = '9' where key = 'format'");
  await expect(copy()).rejects.toMatchObject({ code: 'store_newer' });
  await asStranger(url, "update meta set value = '2' where key = 'format'");
  expect((await copy()).runs).toBe(3);
  await expect(copy()).rejects.toMatchObject({ code: 'copy_refused' });
});

test('a copy that does not say the same, or whose runs are not as their events say, is not kept', async () => {
  await (await filled()).close();
  const wrong = async () => [{ stream: 'one', version: null, what: 'not as its events say' }];
  const error = {
    code: 'store_unusable',
    message: expect.stringContaining('not as its events say'),
  };
  await expect(copy({ judge: wrong })).rejects.toMatchObject(error);
  await expectEmpty();
});

test('a connection that is lost in the middle leaves an empty store, and the file free', async () => {
  const store = await filled();
  await copy({ judge: () => Promise.reject(new Error('stop')) }).catch(() => undefined);
  // Somebody is about to write one of the rows: the copy waits for him, after its events.
  const other = await strangersClient(url);
  await other.query('begin');
  await other.query(
    `insert into approvals(id, run, kind, asked_at) values ('${approvalId(parked, 1)}', 1, 'x', 1)`,
  );
  const copying = expect(copy()).rejects.toMatchObject({ retryable: true });
  const waiting = `select pid from pg_stat_activity where wait_event_type = 'Lock' and query like '%approvals%'`;
  let pids: readonly { readonly pid: number }[] = [];
  for (let looks = 0; looks < 200 && pids.length === 0; looks += 1) {
    pids = await asStranger(url, waiting);
  }
  expect(pids).toHaveLength(1);
  await asStranger(url, `select pg_terminate_backend(${pids[0]?.pid})`);
  await copying;
  await other.query('rollback');
  await other.end();
  await expectEmpty();
  expect(await store.swapFact('after', null, 'x')).toBe(true);
  await store.close();
  expect((await copy()).runs).toBe(3);
});
