import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { Digest, Instant } from '../../src/domain/ids.ts';
import { never } from '../../src/kernel/cancel-signal.ts';
import { diskCollector } from '../../src/store/artifacts/collect-artifacts.ts';
import { diskArtifacts } from '../../src/store/artifacts/disk-artifacts.ts';
import { orBeside } from '../../src/store/artifacts/or-beside.ts';
import { readThrough } from '../../src/store/artifacts/read-through.ts';
import { spine } from '../../src/store/postgres/migrations/0001-spine.ts';
import { openPostgres, type Postgres } from '../../src/store/postgres/postgres-store.ts';
import {
  asStranger,
  emptied,
  emptyStore,
  machineBinaries,
  type PostgresServer,
  startPostgres,
  strangersClient,
} from '../support/postgres.ts';
import { artifactSuite, bytesOf, inParts, named, type OpenedArtifacts } from './artifacts.suite.ts';
import { command, decideTest, runId } from './deciding.ts';
import { wallClock as clock } from './opened.ts';

const twoDaysMs = 48 * 3_600_000;

artifactSuite('artifacts on the disk', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'pawl-artifacts-'));
  const pathOf = (digest: string) => join(directory, digest.slice(7, 9), digest.slice(9));
  const held = new Set<Digest>();
  const store = {
    unreferenced: async (digests: readonly Digest[]) => digests.filter((one) => !held.has(one)),
  };
  const age = async (digest: Digest) => {
    const then = new Date(Date.now() - twoDaysMs);
    utimesSync(pathOf(digest), then, then);
  };
  return {
    artifacts: diskArtifacts({ directory }),
    other: diskArtifacts({ directory }),
    collector: diskCollector({ directory, store }),
    refer: async (digest) => void held.add(digest),
    age,
    spoil: async (digest) => {
      const bytes = readFileSync(pathOf(digest));
      bytes[0] = (bytes[0] ?? 0) ^ 1;
      writeFileSync(pathOf(digest), bytes);
    },
    halfCollected: async (digest) => {
      await age(digest);
      mkdirSync(join(directory, 'leaving'), { recursive: true });
      renameSync(pathOf(digest), join(directory, 'leaving', digest.slice(7)));
    },
    unfinished: async () => {
      const names = readdirSync(directory);
      return names.includes('incoming') ? readdirSync(join(directory, 'incoming')).length : 0;
    },
    close: async () => rmSync(directory, { recursive: true, force: true }),
  };
});

const run = runId('one');
const hexOf = (digest: string): string => digest.slice('sha256:'.length);

interface OpenedRows extends OpenedArtifacts {
  readonly store: Postgres['store'];
}

async function inDatabase(url: string): Promise<OpenedRows> {
  await emptied(url);
  const one = await openPostgres({ url, clock, connectionsMax: 4 });
  const two = await openPostgres({ url, clock, connectionsMax: 4 });
  await one.store.transact([command(run, { type: 'start' })], decideTest);
  const set = (what: string, digest: string) =>
    asStranger(
      url,
      `update artifacts set ${what} where digest = decode('${hexOf(digest)}', 'hex')`,
    );
  const age = async (digest: Digest) =>
    void (await set(`touched_at = touched_at - ${twoDaysMs}`, digest));
  return {
    store: one.store,
    artifacts: one.artifacts,
    other: two.artifacts,
    collector: one.collector,
    refer: async (digest) => {
      const act = { type: 'refer', name: `r${hexOf(digest).slice(0, 8)}`, digest } as const;
      const [settled] = await one.store.transact([command(run, act)], decideTest);
      if (settled?.kind === 'unavailable') throw settled.error;
      expect(settled).toMatchObject({ kind: 'committed' });
    },
    age,
    spoil: async (digest) => {
      await asStranger(
        url,
        `update artifact_chunks set bytes = set_byte(bytes, 0, (get_byte(bytes, 0) + 1) % 256)
where no = 0 and content =
  (select content from artifacts where digest = decode('${hexOf(digest)}', 'hex'))`,
      );
    },
    halfCollected: async (digest) => {
      await age(digest);
      let looks = 0;
      const signal = {
        ...never,
        get aborted() {
          looks += 1;
          return looks > 1;
        },
      };
      const before = (Date.now() - twoDaysMs / 2) as Instant;
      await one.collector.collect({ before, dry: false, keep: new Set(), signal });
    },
    unfinished: async () => {
      const [row] = await asStranger<{ readonly n: number }>(
        url,
        `select (select count(*) from artifact_uploads) + (select count(*) from artifact_chunks c
where not exists (select from artifacts a where a.content = c.content)
  and not exists (select from artifact_uploads u where u.content = c.content)) as n`,
      );
      return Number(row?.n);
    },
    close: async () => {
      await one.store.close();
      await two.store.close();
    },
  };
}

const url = await emptyStore(inject('postgres'));
artifactSuite('artifacts in PostgreSQL', () => inDatabase(url));

const [machine] = machineBinaries();
let older: PostgresServer | null = null;
beforeAll(async () => {
  if (machine !== undefined) older = await startPostgres({ binaries: machine });
}, 60_000);
afterAll(() => older?.stop());
if (machine !== undefined) {
  artifactSuite(`artifacts in the server that the machine has (${machine})`, () =>
    inDatabase(older?.url ?? ''),
  );
}

test('a reference to what is being removed is refused, by a command and beside one', async () => {
  const opened = await inDatabase(url);
  const { artifacts, store } = opened;
  const bytes = bytesOf(20);
  await artifacts.put(bytes, 'output');
  await opened.halfCollected(named(bytes));
  const refused = { code: 'artifact_missing' };
  await expect(opened.refer(named(bytes))).rejects.toMatchObject(refused);
  await expect(store.keepHead({ run, version: 1 }, named(bytes))).rejects.toMatchObject(refused);
  const listed = [{ name: 'x', digest: named(bytes) }];
  await expect(store.keepListed({ run, version: 1 }, listed)).rejects.toMatchObject(refused);
  expect(await store.unreferenced([named(bytes)])).toEqual([named(bytes)]);
  const done = runId('done');
  await store.transact([command(done, { type: 'start' })], decideTest);
  await store.transact([command(done, { type: 'end' })], decideTest);
  const { version = 0, hash = '' } = (await store.chain(done, 0, 9)).at(-1) ?? {};
  const stream = { run: done, version, hash, archive: named(bytes), statement: 'signed', at: null };
  await expect(store.archive(stream)).rejects.toMatchObject(refused);
  expect(await store.loadRun(done)).not.toBeNull();
  await artifacts.put(bytes, 'output');
  await opened.refer(named(bytes));
  expect(await store.archive(stream)).toBe(true);
  expect(await artifacts.get(named(bytes))).not.toBeNull();
  await opened.close();
});

test('a collector waits for a transaction that refers, and then leaves what it refers to', async () => {
  const opened = await inDatabase(url);
  const bytes = bytesOf(20);
  await opened.artifacts.put(bytes, 'output');
  await opened.age(named(bytes));
  const open = await strangersClient(url);
  await open.query('begin');
  const digest = `decode('${hexOf(named(bytes))}', 'hex')`;
  await open.query(`select state from artifacts where digest = ${digest} for share`);
  await open.query(
    `insert into artifact_refs(owner, name, digest) select seq, 'late', ${digest} from runs`,
  );
  const before = (Date.now() - twoDaysMs / 2) as Instant;
  const request = { before, dry: false, keep: new Set<Digest>(), signal: never };
  const collected = opened.collector.collect(request);
  await waited(url);
  await open.query('commit');
  await open.end();
  expect(await collected).toEqual({ files: 0, bytes: 0 });
  expect(await opened.artifacts.get(named(bytes))).not.toBeNull();
  await opened.close();
});

/** Until somebody waits for a lock of a row. */
async function waited(at: string): Promise<void> {
  for (let tries = 0; tries < 500; tries += 1) {
    const rows = await asStranger(
      at,
      "select pid from pg_stat_activity where wait_event_type = 'Lock' and state = 'active'",
    );
    if (rows.length > 0) return;
  }
  throw new Error('nobody waits');
}

test('connections that are lost between any two chunks cost nothing', async () => {
  const opened = await inDatabase(url);
  const bytes = bytesOf(700_000);
  async function* losing(): AsyncGenerator<Uint8Array> {
    for await (const part of inParts(bytes, 300_000)) {
      await asStranger(
        url,
        `select pg_terminate_backend(pid) from pg_stat_activity
where application_name like 'pawl %' and state = 'idle'`,
      );
      yield part;
    }
  }
  expect(await opened.artifacts.putParts(losing(), 'output')).toBe(named(bytes));
  expect(await opened.other.get(named(bytes))).toEqual(Buffer.from(bytes));
  await opened.close();
});

test('a database of format 1 becomes one of format 2 with all that it holds (D-56)', async () => {
  const old = await emptyStore(inject('postgres'));
  await asStranger(old, spine);
  await asStranger(old, `insert into meta values ('format', '1'), ('kept', 'yes')`);
  const { store, artifacts } = await openPostgres({ url: old, clock });
  const digest = await artifacts.put('new', 'output');
  expect(await artifacts.get(digest)).toEqual(Buffer.from('new'));
  expect(await asStranger(old, "select value from meta where key in ('format', 'kept')")).toEqual([
    { value: '2' },
    { value: 'yes' },
  ]);
  await store.close();
});

test('what a newer store does not take lies beside it, and is carried over when it is read (D-61)', async () => {
  const opened = await inDatabase(url);
  const directory = mkdtempSync(join(tmpdir(), 'pawl-beside-'));
  const beside = diskArtifacts({ directory });
  const outliving = orBeside(opened.artifacts, beside);
  const before = await outliving.put('before', 'note');
  expect(await beside.get(before)).toBeNull();
  await asStranger(url, "update meta set value = '3' where key = 'format'");
  const digest = await outliving.put('left', 'note');
  await asStranger(url, "update meta set value = '2' where key = 'format'");
  expect(await opened.artifacts.get(digest)).toBeNull();
  const later = readThrough(opened.artifacts, beside);
  expect(await later.get(digest)).toEqual(Buffer.from('left'));
  expect(await opened.artifacts.get(digest)).toEqual(Buffer.from('left'));
  await opened.close();
  rmSync(directory, { recursive: true });
});

test('of a newer store nothing is put (D-61)', async () => {
  const opened = await inDatabase(url);
  await asStranger(url, "update meta set value = '3' where key = 'format'");
  const newer = { code: 'store_newer' };
  await expect(opened.artifacts.put('x', 'output')).rejects.toMatchObject(newer);
  await expect(opened.artifacts.putParts(inParts(bytesOf(5)), 'output')).rejects.toThrow();
  await asStranger(url, "update meta set value = '2' where key = 'format'");
  expect(await opened.unfinished()).toBe(0);
  await opened.close();
});
