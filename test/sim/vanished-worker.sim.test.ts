/**
 * Goal: a worker of a store without a clock (SQLite, memory) that vanishes leaves nothing that is
 * silently stuck: its lease is over after two silent sweeps, its attempt goes on, and where nobody
 * takes that up a human is told within the grace (XP-11, XP-21, XP-34, RR-9, RR-22).
 * Method: one engine on a clock that is turned by hand; sweeps as often as a driver has them, with
 * the sight that a driver has of a holder elsewhere.
 */
import { expect, test } from 'vitest';
import type { ExecutionId, Instant, RunId } from '../../src/domain/ids.ts';
import { recoveryDefaults } from '../../src/domain/recovery/figures.ts';
import { type RunHealth, runHealth } from '../../src/engine/run-health.ts';
import { type Sweeper, sweeper } from '../../src/engine/sweep.ts';
import { beatWatch, lookAt } from '../../src/host/adoption.ts';
import type { Lanes } from '../../src/ports/lanes.ts';
import {
  type Bench,
  bench,
  executed,
  plainDefinition,
  prepared,
  sealOf,
  work,
} from './bench-of-one.ts';
import { ada, nothing as plainResume } from './human.ts';
import { lanesThatSee } from './lanes-that-see.ts';

const { graceMs } = recoveryDefaults;
const start = { definition: plainDefinition, detached: true, resumedFrom: null, from: null };
const far = { worker: 'far', bootId: 'other', pid: 7, started: 1 };
const sweepMs = 15_000;

interface Driver {
  readonly sweeps: Sweeper;
  readonly health: RunHealth;
}

/** A driver of another machine than the worker's; its memory is its own. */
function driverOf({ engine, plane }: Bench, afterLook = async () => {}): Driver {
  const stillForMs = beatWatch(() => engine.clock.monotonicMs());
  const lanes: Lanes = {
    ...lanesThatSee({ state: 'alive' }).lanes,
    elsewhere: true,
    look: async (open) => {
      const at = { spool: '/nowhere', worker: 'server', lives: () => false, stillForMs };
      const seen = lookAt(open, at);
      await afterLook();
      return seen;
    },
  };
  const quiet = { ttlMs: 30_000, log: () => {} };
  return {
    sweeps: sweeper({ engine, plane, lanes, ...quiet }),
    health: runHealth(engine, () => {}),
  };
}

const view = (here: Bench, run: RunId) => here.client.find({ text: run, project: null });

async function sweep(here: Bench, { sweeps, health }: Driver): Promise<void> {
  here.pass(sweepMs);
  await sweeps.sweep();
  await health.look();
}

async function held() {
  const here = bench();
  const { id: run } = await here.client.start(start, ada);
  await work(here, run, prepared);
  const execution = (await view(here, run)).execution?.id as ExecutionId;
  const claimed = await here.plane.claim({ execution, holder: far, nonce: 'n' });
  if (!claimed.ok) throw new Error(claimed.reason);
  const granted = { execution, grantId: claimed.grantId };
  await here.plane.start({ ...granted, rung: 'x', pid: 7 });
  let count = 0;
  const beat = () => {
    count += 1;
    return here.plane.heartbeat({ ...granted, beat: count, signals: '{}', usage: null });
  };
  return { here, run, granted, beat };
}

test('a worker that beats keeps its lease, however long it works', async () => {
  const { here, run, granted, beat } = await held();
  const driver = driverOf(here);
  for (let n = 0; n < 20; n += 1) {
    expect(await beat()).toMatchObject({ ok: true });
    await sweep(here, driver);
  }
  expect((await view(here, run)).execution?.id).toBe(granted.execution);
});

test('one that vanished is lost after two silent sweeps, same attempt; what it says later is refused', async () => {
  const { here, run, granted, beat } = await held();
  const driver = driverOf(here);
  await beat();
  await sweep(here, driver);
  await sweep(here, driver);
  expect((await view(here, run)).execution?.id).toBe(granted.execution);
  await sweep(here, driver);
  const now = await view(here, run);
  expect(now).toMatchObject({ status: 'active', phase: 'executing', attempt: { n: 1 } });
  expect(now.execution?.id).not.toBe(granted.execution);
  expect(await beat()).toMatchObject({ ok: false });
  const row = await here.engine.store.execution(now.execution?.id as ExecutionId);
  expect(row?.job, 'nobody proved that it is gone').toMatchObject({ tree: 'new' });
  const evidence = await here.engine.store.evidence(granted.execution);
  expect(evidence).toMatchObject([{ verb: 'heartbeat' }]);
});

test('with nobody else to take it up, a human is told within the grace, and one step goes on', async () => {
  const { here, run } = await held();
  const driver = driverOf(here);
  const limitMs = 3 * sweepMs + 2 * graceMs + 2 * sweepMs;
  let passed = 0;
  while ((await view(here, run)).status === 'active' && passed < limitMs) {
    await sweep(here, driver);
    passed += sweepMs;
  }
  const parked = await view(here, run);
  expect(parked).toMatchObject({ status: 'needs_operator', reason: 'dispatch_failed' });
  expect(parked.detail).toMatch(/no host takes it up/);
  await here.client.resume(run, plainResume, ada);
  expect(await view(here, run)).toMatchObject({ status: 'active', phase: 'executing' });
});

test('a worker that vanished before it claimed what it was offered, with nobody else, leads to a human too', async () => {
  const { here, run } = await held();
  const driver = driverOf(here);
  for (let n = 0; n < 3; n += 1) await sweep(here, driver);
  const execution = (await view(here, run)).execution?.id as ExecutionId;
  const now = here.engine.clock.now();
  expect(await here.engine.store.offer(execution, now, (now + 10_000) as Instant)).toBe(true);
  const limitMs = 2 * graceMs + 4 * sweepMs;
  for (let passed = 0; passed < limitMs; passed += sweepMs) await sweep(here, driver);
  expect(await view(here, run)).toMatchObject({
    status: 'needs_operator',
    reason: 'dispatch_failed',
  });
});

test('what waits for a worker with a free slot is no trouble: it has its turn when another ends', async () => {
  const { here, run, beat } = await held();
  const driver = driverOf(here);
  const { id: other } = await here.client.start(start, ada);
  await work(here, other, prepared);
  for (let n = 0; n < 60; n += 1) {
    await beat();
    await sweep(here, driver);
  }
  expect(await view(here, other)).toMatchObject({ status: 'active', phase: 'executing' });
  await here.client.cancel(run, '', ada);
});

test('workers that vanish one after the other end at a human too: recoveries are bounded', async () => {
  const { here, run } = await held();
  const driver = driverOf(here);
  for (let n = 0; n < 40 && (await view(here, run)).status === 'active'; n += 1) {
    const execution = (await view(here, run)).execution?.id as ExecutionId;
    await here.plane.claim({ execution, holder: far, nonce: execution });
    await sweep(here, driver);
  }
  expect(await view(here, run)).toMatchObject({
    status: 'needs_operator',
    reason: 'recovery_exhausted',
  });
});

test('a server that was away counts silence anew, and a beat between look and loss saves the lease', async () => {
  const { here, run, granted, beat } = await held();
  const before = driverOf(here);
  await sweep(here, before);
  await sweep(here, before);
  const after = driverOf(here);
  await sweep(here, after);
  await sweep(here, after);
  const [seen] = await here.engine.store.openExecutions();
  expect(await beat()).toMatchObject({ ok: true });
  if (seen === undefined) throw new Error('nothing is open');
  expect(await here.engine.store.expireSilent(seen)).toBe(false);
  await sweep(here, after);
  expect((await view(here, run)).execution?.id).toBe(granted.execution);
});

test('a beat that comes while the sweep has judged its holder silent is not answered in vain', async () => {
  const { here, run, granted, beat } = await held();
  let looks = 0;
  const driver = driverOf(here, async () => {
    looks += 1;
    if (looks === 3) expect(await beat()).toMatchObject({ ok: true });
  });
  for (let n = 0; n < 3; n += 1) await sweep(here, driver);
  expect(looks).toBe(3);
  expect((await view(here, run)).execution?.id).toBe(granted.execution);
  for (let n = 0; n < 3; n += 1) await sweep(here, driver);
  expect((await view(here, run)).execution?.id, 'silent again').not.toBe(granted.execution);
});

test('a driver that dies between decision and loss leaves nothing undone', async () => {
  const { here, run, granted, beat } = await held();
  const [seen] = await here.engine.store.openExecutions();
  if (seen === undefined) throw new Error('nothing is open');
  expect(await here.engine.store.expireSilent(seen)).toBe(true);
  expect(await beat()).toEqual({ ok: false, reason: 'grant.stale' });
  expect(await driverOf(here).sweeps.sweepExpired()).toBe(1);
  expect((await view(here, run)).execution?.id).not.toBe(granted.execution);
});

test('what a vanished worker had sealed is taken as its successor’s, as long as nobody began that', async () => {
  const { here, run, granted } = await held();
  const driver = driverOf(here);
  for (let n = 0; n < 4; n += 1) await sweep(here, driver);
  const next = (await view(here, run)).execution?.id as ExecutionId;
  expect(next).not.toBe(granted.execution);
  const sealed = { ...granted, seal: sealOf('late'), result: executed };
  expect(await here.plane.result(sealed)).toEqual({ ok: true });
  expect(await view(here, run)).toMatchObject({ phase: 'verifying', attempt: { n: 1 } });
});
