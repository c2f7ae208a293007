/**
 * Goal: the engine moves a run by what happens to its jobs, and by nothing else.
 * Method: one engine over a store in memory; jobs are claimed and sealed through the Plane, as a
 * host does it.
 */
import { expect, test } from 'vitest';
import {
  type Bench,
  bench,
  executed,
  holder,
  plainDefinition,
  prepared,
  sealOf,
  work,
} from '../../test/sim/bench-of-one.ts';
import { ada } from '../../test/sim/human.ts';
import { lanesThatSee } from '../../test/sim/lanes-that-see.ts';
import type { FailureClass, JobResult } from '../domain/execution/state.ts';
import type { RunId } from '../domain/ids.ts';
import { sweeper } from './sweep.ts';

const start = { definition: plainDefinition, detached: true, resumedFrom: null, from: null };
const verdict = (outcome: 'passed' | 'failed', summary: string): JobResult => ({
  kind: 'verified',
  verdict: sealOf(summary),
  facts: {
    outcome,
    summary,
    receipt: null,
    commit: executed.commit,
    score: null,
    failedTests: null,
    passedTests: null,
    flaky: false,
  },
});
const failed = (failure: FailureClass): JobResult => ({
  kind: 'failed',
  class: failure,
  detail: `because of ${failure}`,
  proof: 'kernel',
  commit: null,
  usage: null,
  text: null,
});

async function begun(here: Bench, more: Partial<typeof plainDefinition.brakes> = {}) {
  const definition = { ...plainDefinition, brakes: { ...plainDefinition.brakes, ...more } };
  const { id } = await here.client.start({ ...start, definition }, ada);
  await work(here, id, prepared);
  return id;
}
const view = (here: Bench, run: RunId) => here.client.find({ text: run, project: null });
const typesOf = async (here: Bench, run: RunId) =>
  (await here.client.events(run, 0, 1_000)).map(({ event }) => event.type);

/** What the host of the open job is told. */
async function dispatchOf(here: Bench, run: RunId) {
  const execution = (await view(here, run)).execution?.id;
  if (execution === undefined) throw new Error('nothing is open');
  // The nonce of `work`, so that it may claim the same grant again.
  const claim = await here.plane.claim({ execution, holder, nonce: `nonce ${execution}` });
  if (!claim.ok) throw new Error(claim.reason);
  return claim.dispatch;
}

test('job by job from start to done, each step by the end of the one before (EV-58, EV-5)', async () => {
  const here = bench();
  const run = await begun(here);
  expect(await view(here, run)).toMatchObject({ status: 'active', phase: 'executing' });
  here.pass(3_600_000);
  expect(await view(here, run)).toMatchObject({ phase: 'executing' });
  await work(here, run, executed);
  expect(await view(here, run)).toMatchObject({ phase: 'verifying' });
  await work(here, run, verdict('failed', 'one fails'));
  expect(await view(here, run)).toMatchObject({ phase: 'executing', attempt: { n: 2 } });
  await work(here, run, executed);
  await work(here, run, verdict('passed', 'all pass'));
  expect(await view(here, run)).toMatchObject({ status: 'complete', verification: 'passed' });
  expect((await typesOf(here, run)).filter((type) => type === 'job.dispatched')).toHaveLength(5);
});

test('errors without a heal escalate, however many attempts are left (EV-58, EV-47)', async () => {
  const here = bench();
  const run = await begun(here, { attempts: 9 });
  for (const _ of [1, 2, 3]) await work(here, run, { ...executed, outcome: 'invalid_result' });
  expect(await view(here, run)).toMatchObject({
    status: 'needs_operator',
    reason: 'convergence_signals',
  });
  expect(await here.engine.store.openExecutions()).toEqual([]);
});

test('each turn gets the attempts before it, compact; the first gets none (EV-58, EV-27)', async () => {
  const here = bench();
  const run = await begun(here, { attempts: 100 });
  expect((await dispatchOf(here, run)).history).toBe('');
  for (let n = 1; n < 40; n += 1) {
    await work(here, run, executed);
    await work(here, run, verdict('failed', `attempt ${n} fails`));
  }
  const { history } = await dispatchOf(here, run);
  expect(history).toContain('# Loop Attempt History\n(19 earlier attempts left out)\n[Attempt 20]');
  expect(history).toContain('[Attempt 39] FAIL: attempt 39 fails');
  expect(history.length).toBeLessThan(70_000);
});

test('a dispatch that failed parks the run, and leaves no job open (EV-58, EV-48)', async () => {
  const here = bench();
  const run = await begun(here);
  await work(here, run, failed('dispatch_failed'));
  expect(await view(here, run)).toMatchObject({
    status: 'needs_operator',
    reason: 'dispatch_failed',
  });
  expect(await here.engine.store.openExecutions()).toEqual([]);
});

test.each([
  ['dead', { state: 'dead', class: 'lane_died', detail: 'gone', sessionId: null }],
  ['silent', { state: 'silent', forMs: 60_000 }],
] as const)(
  'a host found %s by two sweeps at once, and again, is lost once (RR-28)',
  async (_, sighting) => {
    const here = bench();
    const run = await begun(here);
    await dispatchOf(here, run);
    const { lanes } = lanesThatSee(sighting);
    const options = { engine: here.engine, plane: here.plane, lanes, ttlMs: 30_000, log: () => {} };
    const sweeps = [sweeper(options), sweeper(options)];
    const moved = await Promise.all(sweeps.map(({ sweep }) => sweep()));
    expect(moved.toSorted()).toEqual([0, 1]);
    expect(await sweeps[0]?.sweep()).toBe(0);
    const types = await typesOf(here, run);
    expect(types.filter((type) => type === 'execution.failed')).toHaveLength(1);
    expect(types.filter((type) => type === 'recovery.recorded')).toHaveLength(1);
    expect(await view(here, run)).toMatchObject({ phase: 'executing', attempt: { n: 1 } });
  },
);

test('a sealed result of a dead host is handed in once, by however many sweeps (RR-28)', async () => {
  const here = bench();
  const run = await begun(here);
  await dispatchOf(here, run);
  const open = (await here.engine.store.openExecutions())[0];
  const grantId = open?.lease?.grantId;
  if (grantId === undefined) throw new Error('no lease');
  const seal = sealOf('left behind');
  const { lanes, ended } = lanesThatSee({ state: 'sealed', grantId, seal, result: executed });
  const options = { engine: here.engine, plane: here.plane, lanes, ttlMs: 30_000, log: () => {} };
  await Promise.all([1, 2].map(() => sweeper(options).sweep()));
  await sweeper(options).sweep();
  const types = await typesOf(here, run);
  expect(types.filter((type) => type === 'turn.ended')).toHaveLength(1);
  expect(ended).toEqual([]);
  expect(await view(here, run)).toMatchObject({ phase: 'verifying', attempt: { n: 1 } });
});

test('what a lost lane reported by its beats counts for the run (ruling 18)', async () => {
  const here = bench();
  const run = await begun(here);
  await dispatchOf(here, run);
  const [open] = await here.engine.store.openExecutions();
  if (open?.lease == null) throw new Error('no lease');
  const usage = { ...executed.usage, costUsd: 0.5, tokensIn: 700 };
  const { grantId } = open.lease;
  await here.plane.heartbeat({ execution: open.id, grantId, beat: 1, signals: '{}', usage });
  const dead = { state: 'dead', class: 'lane_died', detail: 'gone', sessionId: null } as const;
  const { lanes } = lanesThatSee(dead);
  const options = { engine: here.engine, plane: here.plane, lanes, ttlMs: 30_000, log: () => {} };
  expect(await sweeper(options).sweep()).toBe(1);
  const { spent } = await view(here, run);
  expect(spent).toMatchObject({ costUsd: 0.5, costKnown: true, tokensIn: 700 });
});

test('while the store has no space no host is taken for silent: no beat can arrive', async () => {
  const here = bench();
  const run = await begun(here);
  await dispatchOf(here, run);
  const { lanes, ended } = lanesThatSee({ state: 'silent', forMs: 600_000 });
  let sinceFull = 29_000;
  const options = {
    ...{ engine: here.engine, plane: here.plane, lanes, ttlMs: 30_000, log: () => {} },
    sinceFullMs: () => sinceFull,
  };
  expect(await sweeper(options).sweep()).toBe(0);
  expect(ended).toEqual([]);
  sinceFull = 30_000;
  expect(await sweeper(options).sweep()).toBe(1);
});
