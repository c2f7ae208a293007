/**
 * Goal: an ended run leaves the store whole or not at all, its file proves itself, and an audit
 * tells an archived stream from one that was taken away. Method: each store, real keys, and hands
 * that write where they should not.
 */
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import type { Digest, Instant } from '../../src/domain/ids.ts';
import { auditStore } from '../../src/engine/audit.ts';
import { findRun } from '../../src/engine/reference.ts';
import type { Artifacts } from '../../src/ports/artifacts.ts';
import type { Store } from '../../src/ports/store.ts';
import { archiveRuns } from '../../src/store/archive/archive-runs.ts';
import { archiveText, checkArchive } from '../../src/store/archive/file.ts';
import { diskArtifacts } from '../../src/store/artifacts/disk-artifacts.ts';
import { memoryStore } from '../../src/store/memory/memory-store.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { sqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { headSeal } from '../../src/verify/heads.ts';
import { memorySigner } from '../../src/verify/signer.ts';
import { asStranger, emptyStore } from '../support/postgres.ts';
import { command, decideTest, digestOf, executionId, grantOf, holder, runId } from './deciding.ts';
import { wallClock as clock, strangersConnection, temporary } from './opened.ts';

const [first, second, living] = [runId('first'), runId('second'), runId('living')];
const seal = headSeal(memorySigner());
const later = 2_000 as Instant;

interface Place {
  readonly store: Store;
  /** As any other program would; null where nobody else can. */
  readonly change: ((sql: string) => Promise<void>) | null;
}

let directory: string;
let remove: () => void;
let artifacts: Artifacts;
beforeEach(() => {
  ({ directory, remove } = temporary());
  artifacts = diskArtifacts({ directory: `${directory}/artifacts` });
});
afterEach(() => remove());

/** The bytes that the rows of {@link fill} refer to are there: an audit asks for them. */
const filled = ['1', '2', '4', 'd'].map(digestOf);
const withFilled = (get: Artifacts['get'] = artifacts.get): Artifacts => ({
  ...artifacts,
  get: async (digest) => (filled.includes(digest) ? new Uint8Array() : get(digest)),
});

const places = {
  memory: async (): Promise<Place> => ({ store: memoryStore({ clock }), change: null }),
  SQLite: async (): Promise<Place> => ({
    store: await sqliteStore({ directory, clock }),
    change: async (sql) => {
      const stranger = await strangersConnection(directory);
      stranger.exec(sql);
      stranger.close();
    },
  }),
  PostgreSQL: async (): Promise<Place> => {
    const url = await emptyStore(inject('postgres'));
    return {
      store: await openPostgresStore({ url, clock }),
      change: async (sql) => void (await asStranger(url, sql)),
    };
  },
};

async function fill(store: Store): Promise<void> {
  for (const run of [first, second]) {
    const commands = [
      command(run, { type: 'start' }),
      command(run, { type: 'dispatch' }),
      command(run, { type: 'claim', grantId: grantOf('a'), holder }),
      command(run, { type: 'seal' }),
      command(run, { type: 'refer', name: 'receipt.x', digest: digestOf('1') }),
      command(run, { type: 'refer', name: 'escalation.x', digest: digestOf('4') }),
      command(run, { type: 'refer', name: 'output.x', digest: digestOf('2') }),
      command(run, { type: 'ask', n: 1 }),
      command(run, { type: 'timer', kind: 'wait', dueAt: 5, generation: 2 }),
      command(run, { type: 'hints', texts: Array.from({ length: 600 }, (_, n) => `hint ${n}`) }),
      command(run, { type: 'end' }),
    ];
    for (const one of commands) {
      expect((await store.transact([one], decideTest))[0]?.kind).toBe('committed');
    }
  }
  await store.recordEvidence({
    ...{ execution: executionId(first, 1), verb: 'seal', reason: 'grant.stale' },
    ...{ grantPresented: 'x', digest: null, at: later },
  });
  await store.transact([command(living, { type: 'start' })], decideTest);
  const definition = { type: 'refer', name: 'definition', digest: digestOf('d') } as const;
  await store.transact([command(living, definition)], decideTest);
}

describe.each(Object.entries(places))('an ended run of a store in %s', (_, open) => {
  let place: Place;
  let store: Store;
  beforeEach(async () => {
    place = await open();
    store = place.store;
    await fill(store);
  });
  afterEach(() => store.close());

  const archive = (more: Partial<Parameters<typeof archiveRuns>[0]> = {}) =>
    archiveRuns({
      ...{ store, artifacts, clock, seal: async () => seal, before: later, dry: false },
      ...{ keeps: async () => null, ...more },
    });
  const audit = () => auditStore({ store, artifacts: withFilled() }, async () => seal);

  test('leaves with all of its rows; the file and the registry say where it is', async () => {
    await store.keepHead({ run: first, version: 610 }, digestOf('3'));
    const before = await store.audit();
    const report = await archive();
    expect(report.archived.map(({ run }) => run)).toEqual([first, second]);
    expect(await store.loadRun(first)).toBeNull();
    expect(await store.execution(executionId(first, 1))).toBeNull();
    expect(await store.evidence(executionId(first, 1))).toEqual([]);
    expect(await store.events(first, 0, 10)).toEqual([]);
    expect(await store.timersOf(first)).toEqual([]);
    expect(await store.openApprovals()).toEqual([]);
    expect((await store.eventsAfter(null, 10)).map(({ run }) => run)).toEqual([living, living]);
    const digest = report.archived[0]?.archive as Digest;
    const named = ['1', '2', '3', '4'].map(digestOf).concat(digest);
    expect(await store.unreferenced(named)).toEqual([digestOf('2'), digestOf('3')]);
    const after = await store.audit();
    expect(after).toMatchObject({ streams: 3, events: 2, problems: [], heads: [] });
    expect(after.archived).toMatchObject([
      { run: first, archive: digest },
      { run: second, version: report.archived[1]?.events },
    ]);
    expect(before.events - after.events).toBe(2 * (report.archived[0]?.events ?? 0));
    expect(await audit()).toMatchObject({ archived: 2, problems: [] });
    expect(await store.archivedRuns('fir', 5)).toMatchObject([{ run: first, archive: digest }]);
    expect(await store.archivedRuns('fi', 5)).toEqual([]);
    const archives = report.archived.map(({ archive }) => archive);
    const following = [digestOf('d'), digestOf('4'), ...archives]
      .sort()
      .filter((one) => one !== null && one > digestOf('1'));
    const page = await store.referred(digestOf('1'), 2);
    expect(page.map((one) => one.digest)).toEqual(following.slice(0, 2));
    await expect(findRun(store, { text: 'firs', project: null })).rejects.toMatchObject({
      code: 'run_archived',
      details: { next: `pawl artifact get ${digest} --out ${first}.jsonl` },
    });
    const text = Buffer.from((await artifacts.get(digest)) ?? []).toString();
    expect(checkArchive(text, seal)).toMatchObject({ stream: first, problems: [] });
    expect(text).toContain('"refused":{"execution":"firstxxxxxxx.1"');
    expect(await archive()).toMatchObject({ archived: [], kept: [] });
  });

  test('stays where it is newer, has a tree, is only looked at, or ends with the newest event', async () => {
    expect((await archive({ before: 1_000 as Instant })).archived).toEqual([]);
    const looked = await archive({ dry: true });
    expect(looked).toMatchObject({ dry: true, archived: [{ run: first }, { run: second }] });
    const keeps = async (run: string) => (run === first ? 'its worktree is there' : null);
    const kept = [{ run: first, name: 'demo', why: 'its worktree is there' }];
    expect(await archive({ keeps })).toMatchObject({ archived: [{ run: second }], kept });
    await store.transact([command(first, { type: 'hint', text: 'x' })], decideTest);
    expect(await archive()).toMatchObject({ archived: [], kept: [] });
    expect(await store.loadRun(first)).not.toBeNull();
  });

  test('stays when it moved while it was written, and nothing of it is gone', async () => {
    const moving: Store = {
      ...store,
      archive: async (stream) => {
        await store.transact([command(stream.run, { type: 'hint', text: 'late' })], decideTest);
        return await store.archive(stream);
      },
    };
    const report = await archive({ store: moving });
    expect(report.kept.map(({ why }) => why)).toContain('it has moved meanwhile');
    expect(await store.audit()).toMatchObject({ problems: [], archived: [] });
    expect((await store.audit()).events).toBe(2 * 610 + 2 + 2);
  });

  test('stays when what was written is not what was read', async () => {
    const losing: Artifacts = {
      put: artifacts.put,
      get: async (digest) => {
        const bytes = await artifacts.get(digest);
        return bytes === null ? null : Buffer.from(bytes.toString().replace('hint 3', 'hint 4'));
      },
    };
    const report = await archive({ artifacts: losing });
    expect(report.archived).toEqual([]);
    expect(await store.loadRun(first)).not.toBeNull();
  });

  test('is told from one that was taken away, and from a record that somebody else made', async () => {
    const { change } = place;
    if (change === null) return;
    const forged = headSeal(memorySigner());
    await archive({ keeps: async (run) => (run === first ? null : 'stays') });
    const mark = "(select value from meta where key = 'archived:firstxxxxxxx')";
    for (const table of ['runs where seq', 'events where stream']) {
      await change(`delete from ${table} = 2`);
    }
    const gone = { stream: second, version: 0, what: 'the row of the run is missing' };
    expect((await audit()).problems).toEqual([gone]);
    await change(`insert into meta(key, value) values ('archived:${second}', ${mark})`);
    const named = expect.stringContaining('its record of an archive is not signed');
    expect((await audit()).problems).toMatchObject([{ stream: second, what: named }]);
    const strangers = await auditStore({ store, artifacts: withFilled() }, async () => forged);
    expect(strangers.problems).toHaveLength(2);
  });
});

test('an archive that is gone accuses nobody and is said; a changed one is a problem', async () => {
  const store = memoryStore({ clock });
  await fill(store);
  const options = { store, artifacts, clock, seal: async () => seal, dry: false };
  const report = await archiveRuns({ ...options, before: later, keeps: async () => null });
  const lost = withFilled(async () => null);
  const said = await auditStore({ store, artifacts: lost }, async () => seal);
  expect(said.problems).toEqual([]);
  expect(said.cannotProve.join('\n')).toContain('2 archives are not among the artifacts');
  const text = Buffer.from((await artifacts.get(report.archived[0]?.archive as Digest)) ?? []);
  const whole = text.toString();
  const problemOf = (changed: string) => checkArchive(changed, seal).problems[0]?.what;
  expect(problemOf(whole)).toBeUndefined();
  expect(problemOf(whole.replace('hint 7', 'hint 8'))).toContain(
    'data of the event hint.added was',
  );
  const lines = whole.split('\n');
  expect(problemOf([...lines.slice(0, 5), ...lines.slice(6)].join('\n'))).toContain('missing');
  expect(problemOf(lines.slice(0, -2).join('\n'))).toContain('signed head is missing');
  expect(problemOf('{"a":1}\n')).toBe('this is no archive of a run');
  const headerSays = (from: string, to: string) => problemOf(whole.replace(from, to));
  expect(headerSays('"name":"demo"', '"name":"other"')).toContain('another name than the events');
  expect(headerSays('"project":"/home/me', '"project":"/tmp')).toContain('another project than');
  expect(headerSays('"status":"cancelled"', '"status":"complete"')).toContain(
    'another status than',
  );
  expect(headerSays('"events":610', '"events":611')).toContain('another events than');
  expect(problemOf(whole.replace(/"at":1000/, '"at":"x"'))).toContain('not readable');
  expect(checkArchive(whole, headSeal(memorySigner())).problems[0]?.what).toContain('this key');
  const without = lines.filter((line) => !line.startsWith('{"refused"'));
  expect(without).toHaveLength(lines.length - 1);
  expect(problemOf(without.join('\n'))).toContain('not those that were signed');
  expect(problemOf(whole.replace('"verb":"seal"', '"verb":"beat"'))).toContain('were signed');
  expect(problemOf(lines.toSpliced(3, 0, '{"note":1}').join('\n'))).toContain(
    'line 4 is nothing that an archive has',
  );
});

test('what an earlier pawl archived proves its events, and names what it cannot prove', async () => {
  const store = memoryStore({ clock });
  await fill(store);
  const [ended] = await store.endedRuns(0, later, 1);
  if (ended === undefined) throw new Error('no run has ended');
  const { version, hash, aggregate } = ended;
  const events = await store.chain(first, 0, 1_000);
  const head = seal.sign({ stream: first, version, digest: hash, at: later });
  const content = { stream: first, aggregate, events, evidence: [] };
  const found = checkArchive(
    archiveText(content, () => head),
    seal,
  );
  expect(found).toMatchObject({ name: 'demo', problems: [] });
  expect(found.cannotProve).toEqual([expect.stringContaining('no refused callback in it')]);
});
