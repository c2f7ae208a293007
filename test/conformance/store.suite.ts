/**
 * What every store promises (src/ports/store.ts), whatever it is made of. A test of one store alone
 * lies beside this file and is about what only that store can promise.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ExecutionId, Instant } from '../../src/domain/ids.ts';
import { ok } from '../../src/kernel/result.ts';
import type { Position, Store } from '../../src/ports/store.ts';
import { expectFoldIsProjection } from '../support/fold.ts';
import {
  approvalId,
  bound,
  command,
  decideTest,
  digestOf,
  executionId,
  foldTest,
  grantOf,
  holder,
  runId,
  type TestCommand,
} from './deciding.ts';
import { facts } from './facts.ts';
import { seats } from './seats.ts';
import { slotsOf } from './slots.ts';

export interface Opened {
  readonly store: Store;
  readonly close: () => Promise<void>;
}

const at = (ms: number) => ms as Instant;
const run = runId('one');
const id = executionId(run, 1);
const beat = (grant: string, n: number, execution: ExecutionId = id) => ({
  execution,
  grantId: grantOf(grant),
  beat: n,
  signals: `{"n":${n}}`,
  usage: null,
});
const other = runId('two');

export function storeSuite(name: string, open: () => Promise<Opened>): void {
  describe(name, () => {
    let opened: Opened;
    let store: Store;
    beforeEach(async () => {
      opened = await open();
      store = opened.store;
    });
    afterEach(async () => {
      await expectFoldIsProjection(store, foldTest);
      expect((await store.audit()).problems).toEqual([]);
      await opened.close();
    });
    const send = (...commands: readonly TestCommand[]) => store.transact(commands, decideTest);
    const started = () => send(command(run, { type: 'start' }));
    const leased = async () => {
      await started();
      await send(command(run, { type: 'dispatch' }));
      await send(command(run, { type: 'claim', grantId: grantOf('a'), holder }));
    };

    const given = { send, started, leased, store: () => store };
    deciding(given);
    expecting(given);
    reading(given);
    queueing(given);
    offering(given);
    beating(given);
    refusing(given);
    timers(given);
    rows(given);
    referring(given);
    finding(given);
    seats(given.store);
    slotsOf(() => store);
    facts(given.store);
  });
}

type Send = (...commands: readonly TestCommand[]) => ReturnType<Store['transact']>;
interface Given {
  readonly send: Send;
  readonly started: () => Promise<unknown>;
  /** Started, dispatched, and claimed with grant `a`. */
  readonly leased: () => Promise<void>;
  readonly store: () => Store;
}

function deciding({ send, started, store }: Given): void {
  test('what is committed is read back, state, version and events (XP-30)', async () => {
    const settled = await send(command(run, { type: 'start' }), command(other, { type: 'start' }));
    expect(settled.map(({ kind }) => kind)).toEqual(['committed', 'committed']);
    const loaded = await store().loadRun(run);
    expect(loaded).toMatchObject({ version: 1, aggregate: { run: { status: 'active', id: run } } });
    expect(settled[0]).toMatchObject({ version: 1, next: loaded?.aggregate });
    const [event] = await store().events(run, 0, 10);
    expect(event).toMatchObject({ run, version: 1, actor: 'tester', at: 1_000 });
    expect(event?.event.type).toBe('run.started');
  });

  test('an unknown run is none, and its events are none', async () => {
    expect(await store().loadRun(run)).toBeNull();
    expect(await store().events(run, 0, 10)).toEqual([]);
    expect(await store().execution(executionId(run, 1))).toBeNull();
  });

  test('a rejection writes nothing and shows the state it met', async () => {
    await started();
    const [settled] = await send(command(run, { type: 'refuse' }));
    expect(settled).toMatchObject({ kind: 'rejected', rejection: { code: 'refused' } });
    expect(settled).toMatchObject({ next: { run: { status: 'active' } } });
    expect(await store().loadRun(run)).toMatchObject({ version: 1 });
  });

  test('commands of one call see each other, in order (L-K1)', async () => {
    const hints = Array.from({ length: 30 }, (_, n) =>
      command(run, { type: 'hint', text: `${n}` }),
    );
    const settled = await send(command(run, { type: 'start' }), ...hints);
    expect(settled.map((one) => one.kind === 'committed' && one.version)).toEqual(
      Array.from({ length: 31 }, (_, n) => n + 1),
    );
    const events = await store().events(run, 1, 100);
    expect(events.map(({ event }) => event.type === 'hint.added' && event.text)).toEqual(
      hints.map((_, n) => `${n}`),
    );
  });

  test('a command that throws harms no neighbour, of its own run or another', async () => {
    await started();
    const settled = await send(
      command(other, { type: 'start' }),
      command(run, { type: 'explode' }),
      command(run, { type: 'hint', text: 'after' }),
    );
    expect(settled.map(({ kind }) => kind)).toEqual(['committed', 'threw', 'committed']);
    expect(settled[1]).toMatchObject({ error: { message: 'exploded' } });
    expect(await store().events(run, 0, 10)).toHaveLength(2);
  });

  test('a change that no store may write is isolated; its neighbours commit', async () => {
    await started();
    const settled = await send(
      command(run, { type: 'hint', text: 'before' }),
      command(run, { type: 'poison' }),
      command(run, { type: 'hint', text: 'after' }),
      command(other, { type: 'start' }),
    );
    expect(settled.map(({ kind }) => kind)).toEqual([
      'committed',
      'threw',
      'committed',
      'committed',
    ]);
    expect(await store().events(run, 0, 10)).toHaveLength(3);
  });
}

function expecting({ send, started }: Given): void {
  test('a command that saw another version is refused, and hears where the stream is', async () => {
    await started();
    await send(command(run, { type: 'hint', text: 'meanwhile' }));
    const stale = command(run, { type: 'end' }, { expectedVersion: 1 });
    expect(await send(stale)).toEqual([{ kind: 'version_moved', version: 2 }]);
    const fresh = command(run, { type: 'end' }, { expectedVersion: 2 });
    expect(await send(fresh)).toMatchObject([{ kind: 'committed', version: 3 }]);
    const unborn = command(other, { type: 'start' }, { expectedVersion: 0 });
    expect(await send(unborn)).toMatchObject([{ kind: 'committed', version: 1 }]);
  });
}

function queueing({ send, started, store }: Given): void {
  test('several events of one decision are one commit', async () => {
    await started();
    const [settled] = await send(command(run, { type: 'hints', texts: ['a', 'b', 'c'] }));
    expect(settled).toMatchObject({ kind: 'committed', version: 4 });
    expect((await store().events(run, 1, 2)).map(({ version }) => version)).toEqual([2, 3]);
  });

  test('a decision without events moves nothing', async () => {
    await started();
    expect(await send(command(run, { type: 'acknowledge' }))).toMatchObject([
      { kind: 'committed', version: 1 },
    ]);
    expect(await store().loadRun(run)).toMatchObject({ version: 1 });
  });

  test('calls at the same time lose nothing and each hears its own answer (L-K2)', async () => {
    await started();
    const calls = Array.from({ length: 300 }, (_, n) =>
      send(command(run, { type: 'hint', text: `${n}` })),
    );
    const versions = (await Promise.all(calls)).map(([one]) =>
      one?.kind === 'committed' ? one.version : null,
    );
    expect(versions).toEqual(Array.from({ length: 300 }, (_, n) => n + 2));
  });

  test('more commands than fit one transaction all settle, in order', async () => {
    const many = Array.from({ length: 300 }, (_, n) => command(runId(`r${n}`), { type: 'start' }));
    const settled = await send(...many);
    expect(settled.every(({ kind }) => kind === 'committed')).toBe(true);
    expect(await store().runs({ limit: 1_000 })).toHaveLength(300);
  });

  test('nothing to decide settles nothing', async () => {
    expect(await send()).toEqual([]);
  });
}

function reading({ send, store }: Given): void {
  test('a follower reads every event once, by position', async () => {
    await send(command(run, { type: 'start' }), command(other, { type: 'start' }));
    await send(command(run, { type: 'hint', text: 'x' }));
    const first = await store().eventsAfter(null, 2);
    const rest = await store().eventsAfter(first.at(-1)?.position ?? null, 10);
    const all = [...first, ...rest];
    expect(all.map((one) => `${one.run}@${one.version}`)).toEqual([
      `${run}@1`,
      `${other}@1`,
      `${run}@2`,
    ]);
    const positions = all.map(({ position }) => position);
    expect(new Set(positions).size).toBe(3);
    const last = positions.at(-1) ?? ('' as Position);
    expect(await store().eventsAfter(last, 10)).toEqual([]);
    expect(await store().reaches(last)).toBe(true);
    const beyond = last.replace(/\d+$/, (digits) => `${Number(digits) + 1}`) as Position;
    expect(await store().reaches(beyond)).toBe(false);
  });

  test('odd text survives: actors, names, events', async () => {
    const odd = 'ü\n"\u2028\'; drop table runs; --🌙';
    await send(command(run, { type: 'start', name: odd }, { actor: `${odd}\0x` }));
    expect((await store().runs({ limit: 1, match: odd }))[0]).toMatchObject({ name: odd });
    expect((await store().events(run, 0, 1))[0]).toMatchObject({ actor: `${odd}\ufffdx` });
  });
}

function offering({ send, started, leased, store }: Given): void {
  test('a dispatched execution is ready until someone offers it; a lapsed offer is made again', async () => {
    await started();
    await send(command(run, { type: 'dispatch' }));
    const ready = await store().dispatchable(at(100), 10);
    expect(ready).toMatchObject([{ id, run, n: 1, role: 'execute', status: 'DISPATCHED' }]);
    expect(await store().offer(id, at(100), at(200))).toBe(true);
    expect(await store().offer(id, at(150), at(300))).toBe(false);
    expect(await store().dispatchable(at(150), 10)).toEqual([]);
    expect(await store().execution(id)).toMatchObject({ offeredUntil: 200 });
    expect(await store().dispatchable(at(200), 10)).toHaveLength(1);
    expect(await store().offer(id, at(200), at(300))).toBe(true);
  });

  test('an offer of what is leased, or of nothing, is lost', async () => {
    await leased();
    expect(await store().offer(id, at(1), at(2))).toBe(false);
    expect(await store().offer(executionId(run, 9), at(1), at(2))).toBe(false);
    expect(await store().dispatchable(at(1), 10)).toEqual([]);
  });

  test('ready executions come oldest first, at most so many', async () => {
    await send(command(run, { type: 'start' }), command(other, { type: 'start' }));
    await send(command(other, { type: 'dispatch' }), command(run, { type: 'dispatch' }));
    await send(command(run, { type: 'dispatch' }));
    const ids = [executionId(other, 1), executionId(run, 1), executionId(run, 2)];
    expect((await store().dispatchable(at(0), 10)).map((row) => row.id)).toEqual(ids);
    expect((await store().dispatchable(at(0), 2)).map((row) => row.id)).toEqual(ids.slice(0, 2));
  });

  test('a lease is durable and shows its holder (XP-8)', async () => {
    await leased();
    const lease = { grantId: grantOf('a'), holder };
    expect(await store().execution(id)).toMatchObject({ status: 'LEASED', lease, beat: 0 });
    expect(await store().openExecutions()).toMatchObject([{ id, lease }]);
  });
}

function beating({ send, leased, store }: Given): void {
  test('only the current grant beats (XP-9)', async () => {
    await leased();
    expect(await store().heartbeat(beat('a', 3))).toEqual({
      ok: true,
      cancel: false,
      pause: false,
    });
    expect(await store().execution(id)).toMatchObject({ beat: 3, signals: '{"n":3}' });
    const stale = { ok: false, reason: 'grant.stale' };
    expect(await store().heartbeat(beat('b', 4))).toEqual(stale);
    expect(await store().execution(id)).toMatchObject({ beat: 3, signals: '{"n":3}' });
  });

  test('a holder is told with every beat what its lane was answered last', async () => {
    await leased();
    expect(await store().heartbeat(beat('a', 1))).not.toHaveProperty('answer');
    const answer = { request: 'p1', decision: 'allow' } as const;
    await send(command(run, { type: 'tell', answer }));
    expect(await store().heartbeat(beat('a', 2))).toMatchObject({ answer });
    expect(await store().heartbeat(beat('a', 3))).toMatchObject({ answer });
  });

  test('a heartbeat writes no event, and a late one does not turn the beat back (ruling 19)', async () => {
    await leased();
    const before = (await store().loadRun(run))?.version;
    await store().heartbeat(beat('a', 7));
    await store().heartbeat(beat('a', 5));
    expect(await store().execution(id)).toMatchObject({ beat: 7 });
    expect((await store().loadRun(run))?.version).toBe(before);
  });

  test('usage is kept from the last heartbeat that had one', async () => {
    await leased();
    const usage = { costUsd: 1.5, source: 'metered', tokensIn: 1, tokensOut: 2 } as const;
    const whole = { ...usage, cacheRead: 0, cacheWrite: 0 };
    await store().heartbeat({ ...beat('a', 1), usage: whole });
    await store().heartbeat(beat('a', 2));
    expect((await store().execution(id))?.usage).toEqual(whole);
  });

  test('a new grant starts without the beats of the old one, whose holder is refused', async () => {
    await leased();
    await store().heartbeat(beat('a', 9));
    await send(command(run, { type: 'claim', grantId: grantOf('b'), holder }));
    expect(await store().execution(id)).toMatchObject({ beat: 0, signals: null, usage: null });
    expect(await store().heartbeat(beat('a', 10))).toEqual({ ok: false, reason: 'grant.stale' });
    expect(await store().heartbeat(beat('b', 1))).toMatchObject({ ok: true });
  });

  test('the holder hears of a cancel of the execution, a cancel of the run, a pause at once', async () => {
    await leased();
    await send(command(run, { type: 'pause' }));
    expect(await store().heartbeat(beat('a', 1))).toEqual({ ok: true, cancel: false, pause: true });
    await send(command(run, { type: 'ask_cancel' }));
    expect(await store().execution(id), 'the same grant keeps its beat').toMatchObject({ beat: 1 });
    expect(await store().heartbeat(beat('a', 2))).toMatchObject({ ok: true, cancel: true });
    await send(command(run, { type: 'cancel' }));
    const plain = { ok: true, cancel: true, pause: false };
    expect(await store().heartbeat(beat('a', 3))).toEqual(plain);
    await send(command(run, { type: 'cancel', now: true }));
    expect(await store().heartbeat(beat('a', 4))).toEqual({ ...plain, now: true });
  });
}

function refusing({ send, leased, store }: Given): void {
  test('an ended execution is open no more, holds no lease, and its holder is told so', async () => {
    await leased();
    await send(command(run, { type: 'seal' }));
    expect(await store().heartbeat(beat('a', 1))).toEqual({
      ok: false,
      reason: 'execution.not_open',
    });
    expect(await store().heartbeat(beat('a', 1, executionId(run, 8)))).toEqual({
      ok: false,
      reason: 'execution.not_open',
    });
    expect(await store().openExecutions()).toEqual([]);
    expect(await store().execution(id)).toMatchObject({ status: 'CANCELLED', lease: null });
  });

  test('refusals are kept as evidence, at most 50 rows an execution, then counted', async () => {
    await leased();
    const refusal = { verb: 'result', reason: 'grant.stale', grantPresented: 'b', digest: null };
    for (let n = 0; n < 60; n += 1) {
      await store().recordEvidence({ ...refusal, execution: id, at: at(n) });
    }
    const rows = await store().evidence(id);
    expect(rows).toHaveLength(50);
    expect(rows.reduce((sum, { n }) => sum + n, 0)).toBe(60);
    expect(rows.at(-1)).toMatchObject({ n: 11, at: 59, verb: 'result', grantPresented: 'b' });
    expect(await store().evidence(executionId(run, 2))).toEqual([]);
  });

  test('what a refused stranger wrote is cut to its bound', async () => {
    const long = 'x'.repeat(100_000);
    const refusal = { verb: long, reason: long, grantPresented: long, digest: long, at: at(1) };
    await store().recordEvidence({ ...refusal, execution: id });
    const [row] = await store().evidence(id);
    expect(row?.verb).toHaveLength(200);
    expect(row?.grantPresented).toHaveLength(200);
  });

  test('what a stranger wrote with a NUL in it is answered like any other', async () => {
    const strange = `x\0y` as typeof id;
    const refusal = { verb: 'a\0b', reason: 'r', grantPresented: 'c\0d', digest: null, at: at(1) };
    await store().recordEvidence({ ...refusal, execution: strange });
    expect(await store().evidence(strange)).toHaveLength(1);
    expect(await store().heartbeat(beat('a', 1, strange))).toMatchObject({ ok: false });
    expect(await store().execution(strange)).toBeNull();
    expect(await store().unreferenced([digestOf('a'), `z\0` as never])).toHaveLength(2);
  });
}

function timers({ send, started, store }: Given): void {
  const timer = (kind: 'wait' | 'active_time', dueAt: number, generation: number) =>
    command(run, { type: 'timer', kind, dueAt, generation });

  test('timers are due in order, set anew by their kind, and cleared (XP-35)', async () => {
    await started();
    expect(await store().nextTimer()).toBeNull();
    await send(timer('wait', 500, 1), timer('active_time', 300, 1));
    expect(await store().nextTimer()).toBe(300);
    expect(await store().timersDue(at(299), 10)).toEqual([]);
    expect((await store().timersDue(at(500), 10)).map(({ kind }) => kind)).toEqual([
      'active_time',
      'wait',
    ]);
    expect(await store().timersDue(at(500), 1)).toHaveLength(1);
    const all = await store().timersOf(run);
    expect(all.map(({ kind, dueAt }) => `${kind} ${dueAt}`)).toEqual([
      'active_time 300',
      'wait 500',
    ]);
    expect(await store().timersOf('nobody' as typeof run)).toEqual([]);
    await send(timer('wait', 900, 2), command(run, { type: 'clear', kind: 'active_time' }));
    expect(await store().timersDue(at(1_000), 10)).toEqual([
      { run, kind: 'wait', generation: 2, dueAt: 900 },
    ]);
  });
}

function rows({ send, started, store }: Given): void {
  test('an approval is open until it is resolved, exactly once', async () => {
    await started();
    await send(command(run, { type: 'ask', n: 1, bound }));
    const approval = { id: approvalId(run, 1), run, kind: 'manual', askedAt: 1_000 };
    expect(await store().openApprovals()).toEqual([{ ...approval, expiresAt: null, bound }]);
    const [first, second] = await send(
      command(run, { type: 'resolve', n: 1 }),
      command(run, { type: 'resolve', n: 1 }),
    );
    expect([first?.kind, second?.kind]).toEqual(['committed', 'threw']);
    expect(await store().openApprovals()).toEqual([]);
    const early = [command(run, { type: 'resolve', n: 2 }), command(run, { type: 'ask', n: 2 })];
    expect((await send(...early)).map(({ kind }) => kind)).toEqual(['threw', 'committed']);
    const late = command(run, { type: 'resolve', n: 2 });
    expect(await send(late)).toMatchObject([{ kind: 'committed' }]);
    expect(await send(command(run, { type: 'ask', n: 1 })), 'asked once').toMatchObject([
      { kind: 'threw' },
    ]);
  });

  test('an artifact is held as long as a name refers to it', async () => {
    await started();
    const [a, b] = [digestOf('a'), digestOf('b')];
    await send(command(run, { type: 'refer', name: 'receipt', digest: a }));
    expect(await store().unreferenced([a, b])).toEqual([b]);
    const refers = (of: typeof run) => Promise.all([a, b].map((one) => store().refers(of, one)));
    expect(await refers(run)).toEqual([true, false]);
    expect(await refers(runId('another'))).toEqual([false, false]);
    await send(command(run, { type: 'refer', name: 'receipt', digest: b }));
    expect(await store().unreferenced([a, b])).toEqual([a]);
    expect(await refers(run)).toEqual([false, true]);
  });

  test('the head of a run that ended is to be signed until a statement of it is kept', async () => {
    await started();
    expect(await store().unsignedHeads(10)).toEqual([]);
    expect(await store().audit()).toMatchObject({ heads: [], unsigned: 1 });
    await send(command(run, { type: 'end' }));
    const [head] = await store().unsignedHeads(10);
    expect(head).toEqual({ run, version: 2, hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(await store().unsignedHeads(0)).toEqual([]);
    const [first, second] = [digestOf('a'), digestOf('b')];
    await store().keepHead({ run, version: 2 }, first);
    await store().keepHead({ run, version: 2 }, second);
    await store().keepHead({ run: other, version: 1 }, second);
    expect(await store().unsignedHeads(10)).toEqual([]);
    expect(await store().unreferenced([first, second])).toEqual([second]);
    const kept = { run, version: 2, hash: head?.hash, statement: first };
    expect(await store().audit()).toMatchObject({ heads: [kept], unsigned: 0 });
    await send(command(run, { type: 'hint', text: 'later' }));
    expect(await store().unsignedHeads(10)).toMatchObject([{ run, version: 3 }]);
    await store().keepHead({ run, version: 9 }, second);
    const beyond = { run, version: 9, hash: null, statement: second };
    expect((await store().audit()).heads).toEqual(expect.arrayContaining([kept, beyond]));
  });
}

function referring({ send, started, store }: Given): void {
  test('a stream is listed up to a version, and what it lacked is added, once (XP-16)', async () => {
    await started();
    await send(command(other, { type: 'start' }), command(run, { type: 'hint', text: 'x' }));
    const [a, b] = [digestOf('a'), digestOf('b')];
    const both = await store().unlisted(0, 10);
    expect(both).toMatchObject([
      { run, version: 2 },
      { run: other, version: 1 },
    ]);
    expect(await store().unlisted(both[0]?.seq ?? 0, 10)).toEqual(both.slice(1));
    expect(await store().unlisted(0, 1)).toEqual(both.slice(0, 1));
    await store().keepListed({ run, version: 2 }, [{ name: 'output.a', digest: a }]);
    await store().keepListed({ run: runId('nobody'), version: 1 }, [{ name: 'x', digest: b }]);
    expect(await store().unreferenced([a, b])).toEqual([b]);
    expect(await store().unlisted(0, 10)).toEqual(both.slice(1));
    await send(command(run, { type: 'hint', text: 'y' }));
    expect(await store().unlisted(0, 1)).toMatchObject([{ run, version: 3 }]);
    await store().keepListed({ run, version: 3 }, [{ name: 'output.a', digest: b }]);
    expect(await store().unreferenced([a, b]), 'a row that is there stays').toEqual([b]);
    await store().keepListed({ run: other, version: 1 }, []);
    expect(await store().unlisted(0, 10)).toEqual([]);
  });

  test('a change that is not committed refers to nothing: what was put stays an orphan', async () => {
    await started();
    const a = digestOf('a');
    const refer = command(run, { type: 'refer', name: 'output', digest: a });
    const seen = { ...refer, expectedVersion: 9 };
    expect(await send(seen)).toMatchObject([{ kind: 'version_moved' }]);
    expect(await store().unreferenced([a])).toEqual([a]);
  });
}

function finding({ send, started, store }: Given): void {
  test('runs are found by id prefix, name, project, status and age, newest first', async () => {
    const start = (id: string, name: string, project: string, ms: number) =>
      command(runId(id), { type: 'start', name, project }, { at: at(ms) });
    await send(start('abc1', 'fix', '/p', 10), start('abd2', 'fix', '/q', 20));
    await send(start('xyz3', 'abc', '/p', 30));
    await send(command(runId('abc1'), { type: 'end' }, { at: at(40) }));
    const found = async (filter: object) =>
      (await store().runs({ limit: 10, ...filter })).map(({ id }) => id.slice(0, 4));
    expect(await found({})).toEqual(['xyz3', 'abd2', 'abc1']);
    expect(await found({ open: true })).toEqual(['xyz3', 'abd2']);
    expect(await found({ project: '/p' })).toEqual(['xyz3', 'abc1']);
    expect(await found({ project: '/p', open: true })).toEqual(['xyz3']);
    expect(await found({ status: ['cancelled'] })).toEqual(['abc1']);
    expect(await found({ status: ['cancelled'], open: true })).toEqual([]);
    expect(await found({ since: 30 })).toEqual(['xyz3', 'abc1']);
    expect(await found({ match: 'abc' })).toEqual(['xyz3', 'abc1']);
    expect(await found({ match: 'abc', open: true })).toEqual(['xyz3']);
    expect(await found({ match: 'ab' })).toEqual([]);
    expect(await found({ match: 'fix', project: '/q' })).toEqual(['abd2']);
    expect(await found({ limit: 1 })).toEqual(['xyz3']);
    expect(await found({ match: 'a%' })).toEqual([]);
  });

  test('the row of a run says what its state says', async () => {
    await started();
    const [active] = await store().runs({ limit: 1 });
    expect(active).toMatchObject({ status: 'active', phase: 'preparing', version: 1 });
    await send(command(run, { type: 'end' }, { at: at(2_000) }));
    const [ended] = await store().runs({ limit: 1 });
    expect(ended).toMatchObject({ status: 'cancelled', phase: null, createdAt: 1_000 });
    expect(ended).toMatchObject({ updatedAt: 2_000, disposition: null, reason: null });
  });

  test('a throw inside an accepted decision of nothing leaves no stream behind', async () => {
    const settled = await store().transact([command(other, { type: 'start' })], (aggregate) =>
      ok({ events: [], next: aggregate, rows: emptyRows }),
    );
    expect(settled).toMatchObject([{ kind: 'committed', version: 0 }]);
    expect(await store().loadRun(other)).toBeNull();
    expect(await store().audit()).toMatchObject({ streams: 0, events: 0 });
  });
}

const emptyRows = {
  executions: [],
  setTimers: [],
  clearTimers: [],
  openApprovals: [],
  closeApprovals: [],
  references: [],
};
