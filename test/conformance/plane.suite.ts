/**
 * What every Plane promises (src/ports/plane.ts), in-process and over HTTP: leases are durable and
 * fenced, only the exact message accepted before is acknowledged again, and what comes late, out
 * of order or with another grant changes nothing and is kept.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ExecutionId, GrantId, RunId } from '../../src/domain/ids.ts';
import { driverPrincipal } from '../../src/engine/command.ts';
import type { Plane } from '../../src/ports/plane.ts';
import { type Bench, executed, prepared, sealOf } from '../sim/bench-of-one.ts';
import { ada } from '../sim/human.ts';
import { claimed, executionOf, holderOf } from '../support/plane-server.ts';

export interface PlaneOpened {
  readonly here: Bench;
  readonly plane: Plane;
  /** In holders. */
  readonly worker: string;
  readonly start: () => Promise<RunId>;
  readonly close: () => Promise<void>;
}

export function planeSuite(name: string, open: () => Promise<PlaneOpened>): void {
  describe(name, () => {
    let opened: PlaneOpened;
    let run: RunId;
    beforeEach(async () => {
      opened = await open();
      run = await opened.start();
    });
    afterEach(() => opened.close());
    const given: Given = { opened: () => opened, run: () => run };
    claims(given);
    beats(given);
    seals(given);
    cancels(given);
    lateWords(given);
  });
}

interface Given {
  readonly opened: () => PlaneOpened;
  readonly run: () => RunId;
}

const start = { rung: 'cgroup', pid: 7 };
const beat = { beat: 1, signals: '{}', usage: null };

const eventsOf = ({ opened, run }: Given) => opened().here.client.events(run(), 0, 1_000);
const evidenceOf = async ({ opened }: Given, execution: ExecutionId) =>
  (await opened().here.engine.store.evidence(execution)).map(({ verb, reason }) => [verb, reason]);
const take = ({ opened, run }: Given, n = 1) =>
  claimed(opened().plane, opened().worker, executionOf(run(), n));

async function lose({ opened, run }: Given, execution: ExecutionId) {
  const { engine } = opened().here;
  const at = engine.clock.now();
  const principal = driverPrincipal;
  const { actor } = principal;
  const lost = {
    type: 'lose',
    class: 'transport_lost',
    proof: 'unproven',
    detail: 'gone',
  } as const;
  const about = { run: run(), execution, at, actor, principal };
  await engine.issue({ kind: 'execution', ...about, command: { ...lost, at } });
}

function claims(given: Given): void {
  test('of many who claim one has it; the same nonce is the same lease (XP-8, XP-9)', async () => {
    const { plane, worker, here } = given.opened();
    const execution = executionOf(given.run());
    const holder = holderOf(worker);
    const nonces = Array.from({ length: 8 }, (_, n) => `n${n}`);
    const answers = await Promise.all(
      nonces.map((nonce) => plane.claim({ execution, holder, nonce })),
    );
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
    const winner = answers.findIndex(({ ok }) => ok);
    const again = await plane.claim({ execution, holder, nonce: `n${winner}` });
    expect(again).toEqual(answers[winner]);
    const row = await here.engine.store.execution(execution);
    expect(row).toMatchObject({ status: 'LEASED', lease: { holder: { worker } } });
  });

  test('a dispatch tells what it is about, and keeps four sources apart (XP-5…XP-7)', async () => {
    const { dispatch } = await take(given);
    const execution = executionOf(given.run());
    expect(dispatch).toMatchObject({
      run: given.run(),
      execution,
      job: { role: 'prepare', attempt: 1 },
      implementation: { profile: 'test', adapter: 'checks', version: '1.2.3' },
      source: { isolation: 'worktree', base: '0'.repeat(40) },
      capabilities: ['role:prepare', 'git'],
      credentials: [],
      instruction: null,
      intent: {
        originalHumanIntent: 'goal 1',
        inferredGoal: null,
        addedContext: [],
        verificationPlan: 'the tests pass',
      },
    });
    expect(dispatch.dispatchId).toContain(execution);
    expect(dispatch.idempotencyKey).toContain(execution);
    expect(dispatch.deadlineMs).toBeGreaterThan(0);
    expect(dispatch.definition.intent.originalIntent).toBe('goal 1');
  });

  test('an instruction is an artifact, and no two executions share a key (XP-6, XP-24)', async () => {
    const { here, plane } = given.opened();
    const first = await take(given);
    await plane.start({ ...first.granted, ...start });
    await plane.result({ ...first.granted, seal: sealOf('a'), result: prepared });
    const { dispatch } = await take(given, 2);
    expect(dispatch.job.role).toBe('execute');
    expect(dispatch.implementation).toMatchObject({ profile: 'fixer', adapter: 'command' });
    const bytes = await here.artifacts.get(dispatch.instruction?.digest ?? sealOf('none'));
    expect(new TextDecoder().decode(bytes ?? new Uint8Array())).toBe(dispatch.prompt);
    expect(dispatch.instruction?.bytes).toBe(bytes?.byteLength);
    expect(dispatch.idempotencyKey).not.toBe(first.dispatch.idempotencyKey);
  });
}

function beats(given: Given): void {
  test('a beat is of the same execution and grant, or of nobody (XP-10, D-30, D-33)', async () => {
    const { plane, here } = given.opened();
    const { granted } = await take(given);
    expect(await plane.heartbeat({ ...granted, ...beat })).toMatchObject({
      ...{ ok: true, cancel: false, pause: false },
    });
    expect((await here.engine.store.execution(granted.execution))?.beat).toBe(1);
    const forged = { ...granted, grantId: 'forged' as GrantId };
    const answer = await plane.heartbeat({ ...forged, ...beat, beat: 2 });
    expect(answer).toEqual({ ok: false, reason: 'grant.stale' });
    expect((await here.engine.store.execution(granted.execution))?.beat).toBe(1);
    expect(await evidenceOf(given, granted.execution)).toHaveLength(1);
  });
}

function seals(given: Given): void {
  test('the same seal is acknowledged again, another is a conflict (XP-14, XP-15)', async () => {
    const { plane } = given.opened();
    const { granted } = await take(given);
    await plane.start({ ...granted, ...start });
    const seal = { ...granted, seal: sealOf('a'), result: prepared };
    expect(await plane.result(seal)).toEqual({ ok: true });
    const before = await eventsOf(given);
    expect(await plane.result(seal)).toEqual({ ok: true });
    const other = await plane.result({ ...seal, seal: sealOf('b') });
    expect(other.ok).toBe(false);
    expect(await eventsOf(given)).toEqual(before);
    expect(await evidenceOf(given, granted.execution)).toHaveLength(1);
  });

  test('an accepted result completes nothing, and a maker judges nothing (XP-25, XP-33)', async () => {
    const { plane, here } = given.opened();
    const first = await take(given);
    await plane.start({ ...first.granted, ...start });
    await plane.result({ ...first.granted, seal: sealOf('a'), result: prepared });
    const { granted } = await take(given, 2);
    await plane.start({ ...granted, ...start });
    const facts = {
      outcome: 'passed',
      summary: '',
      receipt: null,
      commit: executed.commit,
    } as const;
    const counts = { score: 1, failedTests: 0, passedTests: 1, flaky: false };
    await here.artifacts.put('verdict', 'verdict');
    const verdict = sealOf('verdict');
    const judged = { kind: 'verified', verdict, facts: { ...facts, ...counts } } as const;
    const refused = await plane.result({ ...granted, seal: sealOf('b'), result: judged });
    expect(refused).toEqual({ ok: false, reason: 'result.wrong_kind' });
    expect(await plane.result({ ...granted, seal: sealOf('c'), result: executed })).toEqual({
      ok: true,
    });
    const { aggregate } = (await here.engine.store.loadRun(given.run())) ?? {};
    expect(aggregate?.run).toMatchObject({ status: 'active', stage: { phase: 'verifying' } });
  });

  test('what is out of order is refused and kept (XP-14, XP-32)', async () => {
    const { plane } = given.opened();
    const { granted } = await take(given);
    const before = await eventsOf(given);
    const ack = await plane.cancelAck({ ...granted, proof: 'kernel' });
    expect(ack).toEqual({ ok: false, reason: 'execution.not_open' });
    expect(await eventsOf(given)).toEqual(before);
    const kept = await evidenceOf(given, granted.execution);
    expect(kept).toEqual([['cancel-ack', 'execution.not_open']]);
  });
}

function cancels(given: Given): void {
  test('a cancel is a decision that each beat tells until it is acknowledged (XP-19, XP-20)', async () => {
    const { plane, here } = given.opened();
    const { granted } = await take(given);
    await plane.start({ ...granted, ...start });
    await here.client.cancel(given.run(), 'enough', ada);
    for (const n of [1, 2]) {
      const heard = await plane.heartbeat({ ...granted, ...beat, beat: n });
      expect(heard).toMatchObject({ ok: true, cancel: true });
    }
    const ack = { ...granted, proof: 'kernel' } as const;
    expect(await plane.cancelAck(ack)).toEqual({ ok: true });
    expect(await plane.cancelAck(ack)).toEqual({ ok: true });
    const { aggregate } = (await here.engine.store.loadRun(given.run())) ?? {};
    expect(aggregate?.run.status).toBe('cancelled');
    const types = (await eventsOf(given)).map(({ event }) => event.type);
    expect(types).toContain('execution.cancel_requested');
    expect(types).toContain('execution.cancelled');
  });

  test('a cancel that nobody can prove is unknown; an ack after it is evidence (XP-21)', async () => {
    const { plane, here } = given.opened();
    // Setup and checks are run again and never unknown; a lane is what can be.
    const { granted: first } = await take(given);
    await plane.start({ ...first, ...start });
    await plane.result({ ...first, seal: sealOf('a'), result: prepared });
    const { granted } = await take(given, 2);
    await plane.start({ ...granted, ...start });
    await here.client.cancel(given.run(), 'enough', ada);
    await lose(given, granted.execution);
    const { aggregate } = (await here.engine.store.loadRun(given.run())) ?? {};
    const one = aggregate?.executions.find(({ id }) => id === granted.execution);
    expect(one?.status).toBe('UNKNOWN');
    const before = await eventsOf(given);
    expect((await plane.cancelAck({ ...granted, proof: 'kernel' })).ok).toBe(false);
    expect(await eventsOf(given)).toEqual(before);
    expect(await evidenceOf(given, granted.execution)).toHaveLength(1);
  });
}

function lateWords(given: Given): void {
  test('after the loss of a lease every verb is refused and kept (XP-11, XP-34, XP-45, D-30, D-37)', async () => {
    const { plane } = given.opened();
    const { granted } = await take(given);
    await plane.start({ ...granted, ...start });
    await lose(given, granted.execution);
    await take(given, 2);
    const before = await eventsOf(given);
    const answers = [
      await plane.start({ ...granted, ...start, pid: 8 }),
      await plane.heartbeat({ ...granted, ...beat, beat: 9 }),
      await plane.result({ ...granted, seal: sealOf('a'), result: prepared }),
      await plane.cancelAck({ ...granted, proof: 'kernel' }),
    ];
    expect(answers.map(({ ok }) => ok)).toEqual([false, false, false, false]);
    expect(await eventsOf(given)).toEqual(before);
    const verbs = (await evidenceOf(given, granted.execution)).map(([verb]) => verb);
    expect(verbs).toEqual(['start', 'heartbeat', 'result', 'cancel-ack']);
  });

  test('a new try is a new execution, and what was before is kept (XP-23, XP-38)', async () => {
    const { granted } = await take(given);
    await lose(given, granted.execution);
    const next = await take(given, 2);
    expect(next.granted.execution).not.toBe(granted.execution);
    expect(next.fence).toBeGreaterThan(1);
    const ids = (await eventsOf(given)).flatMap(({ event }) =>
      event.type === 'execution.dispatched' ? [event.id] : [],
    );
    expect(ids).toEqual([granted.execution, next.granted.execution]);
  });
}
