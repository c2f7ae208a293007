/**
 * Goal: whatever happens to a connection in the middle of a drain, each command is announced and
 * there, or neither, and nothing is there twice. Method: a real server, strangers that hold locks
 * and end sessions, and a proxy that cuts.
 */
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import type { Position, Store } from '../../src/ports/store.ts';
import { type Database, openDatabase, type Session } from '../../src/store/postgres/connect.ts';
import { drain } from '../../src/store/postgres/drain.ts';
import { notifying } from '../../src/store/postgres/notify.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { type CuttingProxy, cuttingProxy } from '../support/cutting-proxy.ts';
import { expectFoldIsProjection } from '../support/fold.ts';
import { asStranger, emptied, ownDatabase, strangersClient } from '../support/postgres.ts';
import { command, decideTest, executionId, foldTest, grantOf, holder, runId } from './deciding.ts';
import { wallClock as clock } from './opened.ts';

const url = await ownDatabase(inject('postgres'), 'faults');
let store: Store;
beforeEach(async () => {
  await emptied(url);
  store = await openPostgresStore({ url, clock });
});
afterEach(async () => {
  await expectFoldIsProjection(store, foldTest);
  expect((await store.audit()).problems).toEqual([]);
  await store.close();
});

const runs = Array.from({ length: 50 }, (_, n) => runId(`r${n}`));
const [first = runId(''), second = runId('')] = runs;
const starts = runs.map((run) => command(run, { type: 'start' }));
const hints = runs.map((run) => command(run, { type: 'hint', text: run }));
const hint = (run = first, text = 'x') => command(run, { type: 'hint', text });

/** Asks the server until it says so; each look is a round trip, and there is an end to them. */
async function until(sql: string): Promise<void> {
  const client = await strangersClient(url);
  try {
    for (let look = 0; look < 5_000; look += 1) {
      const { rows } = await client.query(sql);
      if (rows.length > 0) return;
    }
    throw new Error(`never: ${sql}`);
  } finally {
    await client.end();
  }
}

const waiting = `select pid from pg_stat_activity where wait_event_type = 'Lock'
  and datname = current_database()`;

test('a session ended in the middle of a drain of 50 commands: all are written, once (D-110, XP-30)', async () => {
  await store.transact(starts, decideTest);
  const stranger = await strangersClient(url);
  await stranger.query(`begin; select from runs where id = '${runs[49]}' for update`);
  const settled = store.transact(hints, decideTest);
  await until(waiting);
  await asStranger(url, `select pg_terminate_backend(pid) from (${waiting}) as w`);
  await stranger.query('rollback');
  await stranger.end();
  expect((await settled).map((one) => one.kind === 'committed' && one.version)).toEqual(
    runs.map(() => 2),
  );
  expect(await store.eventsAfter(null, 1_000)).toHaveLength(100);
});

async function cutStore(
  what: 'answer' | 'message',
): Promise<{ store: Store; proxy: CuttingProxy }> {
  const address = new URL(url);
  const proxy = await cuttingProxy(Number(address.port));
  address.port = String(proxy.port);
  let armed = false;
  const faults = {
    reached: (name: string) => {
      if (name !== 'store.before_commit' || armed) return;
      armed = true;
      proxy.cutNext(what);
    },
  };
  return { store: await openPostgresStore({ url: address.href, clock, faults }), proxy };
}

test.each(['answer', 'message'] as const)(
  'a connection lost with the %s of a commit of 50 commands: the outcome is looked up, not guessed (XP-30)',
  async (what) => {
    await store.transact(starts, decideTest);
    const { store: cut, proxy } = await cutStore(what);
    const settled = await cut.transact(hints, decideTest);
    expect(proxy.cuts()).toBe(1);
    expect(settled.map((one) => one.kind === 'committed' && one.version)).toEqual(
      runs.map(() => 2),
    );
    await cut.close();
    await proxy.close();
    expect(await store.eventsAfter(null, 1_000)).toHaveLength(100);
  },
);

test.each(['answer', 'message'] as const)(
  'a connection lost with the %s of births: they are there once',
  async (what) => {
    const { store: cut, proxy } = await cutStore(what);
    const settled = await cut.transact(starts, decideTest);
    expect(settled.map(({ kind }) => kind)).toEqual(runs.map(() => 'committed'));
    await cut.close();
    await proxy.close();
    expect(await store.eventsAfter(null, 1_000)).toHaveLength(50);
  },
);

/** The answer of the first batch is lost; then the first look for it meets `trouble`. */
function losing(database: Database, loss: Error, trouble: Error): Database {
  let rounds = 0;
  const lossy = (session: Session): Session => ({
    ...session,
    all: async (query, ...values) => {
      const rows = await session.all(query, ...values);
      if (query.text.startsWith('with x_runs')) throw loss;
      return rows;
    },
  });
  return {
    ...database,
    with: (action) =>
      database.with((session) => {
        rounds += 1;
        if (rounds === 2) throw trouble;
        return action(rounds === 1 ? lossy(session) : session);
      }),
  };
}

const coded = (code: string) => Object.assign(new Error(code), { code });

test.each([
  ['looked for again when the look meets a timeout', 'ECONNRESET', '57014', 'committed'],
  ['looked for again when there is no way to the server', 'EHOSTUNREACH', 'EAI_AGAIN', 'committed'],
  ['told as not known when it cannot be looked for', 'ECONNRESET', '42501', 'unavailable'],
])('an outcome is %s, and nothing is written twice (XP-30)', async (_, loss, trouble, kind) => {
  await store.transact(starts.slice(0, 2), decideTest);
  const database = await openDatabase({ url });
  const lossy = losing(database, coded(loss), coded(trouble));
  const draining = drain({ database: lossy, clock, ttlMs: 30_000, committed: () => {} });
  const settled = await draining.transact(hints.slice(0, 2), decideTest);
  expect(settled.map((one) => one.kind)).toEqual([kind, kind]);
  if (kind === 'unavailable') {
    const unknown = {
      code: 'database_unreachable',
      message: expect.stringContaining('is not known'),
    };
    expect(settled[0]).toMatchObject({ error: unknown });
  }
  expect(await store.eventsAfter(null, 1_000)).toHaveLength(4);
  await draining.close();
  await database.close();
});

test('a call whose decisions take long is written in one transaction all the same', async () => {
  await store.transact(starts.slice(0, 3), decideTest);
  let now = 0;
  const slow = { ...clock, monotonicMs: () => now };
  const database = await openDatabase({ url });
  let commits = 0;
  const committed = () => {
    commits += 1;
  };
  const draining = drain({ database, clock: slow, ttlMs: 30_000, committed });
  const decide: typeof decideTest = (aggregate, one) => {
    now += 50;
    return decideTest(aggregate, one);
  };
  const calls = [hints.slice(0, 2), hints.slice(2, 3)];
  const settled = await Promise.all(calls.map((call) => draining.transact(call, decide)));
  expect(settled.flat().map(({ kind }) => kind)).toEqual(Array(3).fill('committed'));
  expect(commits).toBe(2);
  await draining.close();
  await database.close();
});

test('a database that is gone is waited for, then named; nothing was written', async () => {
  await store.transact([command(first, { type: 'start' })], decideTest);
  let ahead = 0;
  const hurried = {
    ...clock,
    monotonicMs: () => performance.now() + ahead,
    sleep: async () => {
      ahead += 3_000;
    },
  };
  const address = new URL(url);
  const proxy = await cuttingProxy(Number(address.port));
  address.port = String(proxy.port);
  const cut = await openPostgresStore({ url: address.href, clock: hurried });
  await proxy.close();
  const gone = { code: 'database_unreachable', retryable: true };
  expect(await cut.transact([hint()], decideTest)).toMatchObject([
    { kind: 'unavailable', error: gone },
  ]);
  await expect(cut.loadRun(first)).rejects.toMatchObject(gone);
  await cut.close();
  expect(await store.loadRun(first)).toMatchObject({ version: 1 });
});

test('a deadlock with a stranger: its commands are decided again (40P01)', async () => {
  await store.transact(starts.slice(0, 2), decideTest);
  const stranger = await strangersClient(url);
  await stranger.query(`begin; select from runs where id = '${second}' for update`);
  const settled = store.transact([hint(first), hint(second)], decideTest);
  await until(waiting);
  // It holds the first and waits for the second: this closes the ring, and it gives way.
  await stranger.query(`select from runs where id = '${first}' for update`);
  await stranger.query('commit');
  await stranger.end();
  expect(await settled).toMatchObject([
    { kind: 'committed', version: 2 },
    { kind: 'committed', version: 2 },
  ]);
});

test('a run that moved meanwhile drops out alone, and its commands are decided again in order', async () => {
  await store.transact(starts.slice(0, 2), decideTest);
  const other = await openPostgresStore({ url, clock });
  let moved: Promise<unknown> | null = null;
  const meddling = await openPostgresStore({ url, clock });
  const decide: typeof decideTest = (aggregate, one) => {
    // In the middle of the first decision another process moves the run.
    moved ??= other.transact([hint(first, 'theirs')], decideTest);
    return decideTest(aggregate, one);
  };
  const stranger = await strangersClient(url);
  await stranger.query(`begin; select from runs where id = '${second}' for update`);
  const settled = meddling.transact([hint(second), hint(first, 'a'), hint(first, 'b')], decide);
  await until(`${waiting} limit 1`);
  await moved;
  await stranger.query('commit');
  await stranger.end();
  expect((await settled).map(({ kind }) => kind)).toEqual(['committed', 'committed', 'committed']);
  const texts = (await store.events(first, 1, 10)).map(
    ({ event }) => event.type === 'hint.added' && event.text,
  );
  expect([...texts].sort()).toEqual(['a', 'b', 'theirs']);
  expect(texts.indexOf('a' as never)).toBeLessThan(texts.indexOf('b' as never));
  await other.close();
  await meddling.close();
});

test('four processes fight for one run and for the birth of others: nothing is lost or doubled (L-K2)', async () => {
  await store.transact([command(first, { type: 'start' })], decideTest);
  const stores = await Promise.all(
    Array.from({ length: 4 }, () => openPostgresStore({ url, clock, connectionsMax: 3 })),
  );
  const settled = await Promise.all(
    stores.flatMap((one, p) =>
      Array.from({ length: 25 }, async (_, n) => {
        const born = command(runId(`n${n}`), { type: 'start' });
        return one.transact([hint(first, `${p}-${n}`), born], decideTest);
      }),
    ),
  );
  expect(settled.map(([one]) => one?.kind)).toEqual(Array(100).fill('committed'));
  const births = settled.map(([, two]) => two?.kind);
  expect(births.filter((kind) => kind === 'committed')).toHaveLength(25);
  expect(births.filter((kind) => kind === 'rejected')).toHaveLength(75);
  const events = await store.events(first, 1, 1_000);
  const texts = events.map(({ event }) => event.type === 'hint.added' && event.text);
  expect(new Set(texts).size).toBe(100);
  expect(texts).toHaveLength(100);
  await Promise.all(stores.map((one) => one.close()));
});

test('a follower misses nothing while a long transaction is open; a cursor of positions alone does', async () => {
  await store.transact(starts.slice(0, 2), decideTest);
  const seen = (await store.eventsAfter(null, 100)).at(-1)?.position ?? null;
  const plain = async (after: number) =>
    asStranger<{ position: string }>(url, 'select position from events where position > $1', [
      after,
    ]);
  const before = Math.max(...(await plain(0)).map(({ position }) => Number(position)));
  // Its event has its position, then it waits for the head of the registry of streams.
  const stranger = await strangersClient(url);
  await stranger.query("begin; select from meta where key = 'streams' for update");
  const slow = await openPostgresStore({ url, clock });
  const third = runId('third');
  const late = slow.transact([command(third, { type: 'start' })], decideTest);
  await until(waiting);
  await store.transact([hint(second)], decideTest);
  const [overtaking] = await plain(before);
  const held = await store.eventsAfter(seen, 100);
  expect(held, 'what may still be overtaken is not shown').toEqual([]);
  await stranger.query('rollback');
  await stranger.end();
  await late;
  const missed = await plain(Number(overtaking?.position));
  expect(missed, 'a plain cursor stands behind the late one and never sees it').toEqual([]);
  expect(await plain(before)).toHaveLength(2);
  const shown = await store.eventsAfter(seen, 100);
  expect(shown.map(({ run, version }) => `${run}@${version}`)).toEqual([
    `${third}@1`,
    `${second}@2`,
  ]);
  const following: Position | null = shown.at(-1)?.position ?? null;
  expect(await store.eventsAfter(following, 100)).toEqual([]);
  await slow.close();
});

const claim = (grant: string) => command(first, { type: 'claim', grantId: grantOf(grant), holder });
const beat = (grant: string) => ({
  execution: executionId(first, 1),
  grantId: grantOf(grant),
  beat: 1,
  signals: '{}',
  usage: null,
});

test('a lease that is not renewed expires by the clock of the database; its holder is refused from the decision on (XP-9, XP-11)', async () => {
  const hurried = await openPostgresStore({ url, clock, leaseTtlMs: 40 });
  await hurried.transact(
    [command(first, { type: 'start' }), command(first, { type: 'dispatch' }), claim('a')],
    decideTest,
  );
  await until('select from leases where expires_at < clock_timestamp()');
  expect(await hurried.heartbeat(beat('a')), 'nobody has decided yet: it is renewed').toMatchObject(
    {
      ok: true,
    },
  );
  await until('select from leases where expires_at < clock_timestamp()');
  const [seen] = await store.openExecutions();
  expect(seen !== undefined && (await store.expireSilent(seen)), 'no other clock decides').toBe(
    false,
  );
  const expired = await store.expireLeases();
  expect(expired).toMatchObject([{ id: executionId(first, 1), lease: { grantId: grantOf('a') } }]);
  expect(await hurried.heartbeat(beat('a'))).toEqual({ ok: false, reason: 'grant.stale' });
  expect(await store.expireLeases(), 'until it was taken over').toHaveLength(1);
  await hurried.transact([claim('b')], decideTest);
  expect(await hurried.heartbeat(beat('b'))).toMatchObject({ ok: true });
  expect(await hurried.heartbeat(beat('a'))).toEqual({ ok: false, reason: 'grant.stale' });
  await hurried.close();
});

test('a heartbeat extends the lease (XP-10)', async () => {
  await store.transact(
    [command(first, { type: 'start' }), command(first, { type: 'dispatch' }), claim('a')],
    decideTest,
  );
  const expiry = async () =>
    (await asStranger<{ at: Date }>(url, 'select expires_at as at from leases'))[0]?.at;
  const before = await expiry();
  expect(await store.heartbeat(beat('b')), 'of another grant: not').toMatchObject({ ok: false });
  expect(await expiry()).toEqual(before);
  await store.heartbeat(beat('a'));
  expect(await expiry()).not.toEqual(before);
});

test('a server that answers no more keeps nobody from closing', async () => {
  const address = new URL(url);
  const proxy = await cuttingProxy(Number(address.port));
  address.port = String(proxy.port);
  const cut = await openPostgresStore({ url: address.href, clock });
  const heard = new Promise<void>((resolve) => {
    cut.hints(resolve);
  });
  await cut.transact([command(first, { type: 'start' })], decideTest);
  await heard;
  proxy.freeze(true);
  await cut.close();
  await proxy.close();
});

test('a connection that hears nothing is replaced; what is committed is heard again (D-111)', async () => {
  const address = new URL(url);
  const proxy = await cuttingProxy(Number(address.port));
  address.port = String(proxy.port);
  const database = await openDatabase({ url: address.href });
  let opened = 0;
  let heard = () => {};
  const apart = () => {
    opened += 1;
    return database.apart();
  };
  const listening = notifying({
    database: { apart },
    heard: () => heard(),
    spans: { probeMs: 60, deafMs: 100 },
  });
  await store.transact([command(first, { type: 'start' })], decideTest);
  /** Commits until it is heard; bounded. */
  const hears = async () => {
    let isHeard = false;
    heard = () => {
      isHeard = true;
    };
    for (let n = 0; n < 3_000 && !isHeard; n += 1) await store.transact([hint()], decideTest);
    expect(isHeard).toBe(true);
  };
  listening.listen();
  await hears();
  proxy.freeze(true);
  const before = opened;
  await new Promise<void>((resolve) => {
    const look = () => (opened > before ? resolve() : setImmediate(look));
    look();
  });
  proxy.freeze(false);
  await hears();
  await listening.close();
  await database.close();
  await proxy.close();
});
