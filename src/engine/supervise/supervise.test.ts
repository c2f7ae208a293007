/**
 * Goal: a lane that tells of no progress is nudged, and re-spawned, by however many sweeps, on the
 * same attempt and within the budgets of its job.
 * Method: one engine over a store in memory; beats say what a host would say.
 */
import { describe, expect, test } from 'vitest';
import {
  type Bench,
  bench,
  executed,
  holder,
  plainDefinition,
  prepared,
  work,
} from '../../../test/sim/bench-of-one.ts';
import { ada, nothing } from '../../../test/sim/human.ts';
import { lanesThatSee } from '../../../test/sim/lanes-that-see.ts';
import type { JobResult } from '../../domain/execution/state.ts';
import type { RunId } from '../../domain/ids.ts';
import type { RecoveryTerms } from '../../domain/recovery/figures.ts';
import type { LaneSighting } from '../../ports/lanes.ts';
import { type Sweeper, sweeper } from '../sweep.ts';

const gone: LaneSighting = { state: 'dead', class: 'lane_died', detail: 'gone', sessionId: null };
const died: JobResult = {
  ...{ kind: 'failed', class: 'lane_died', detail: 'exit 137', proof: 'kernel' },
  ...{ commit: null, usage: null, text: null },
};
const view = (here: Bench, run: RunId) => here.client.find({ text: run, project: null });

async function lane(recovery: RecoveryTerms = plainDefinition.recovery) {
  const here = bench();
  const definition = { ...plainDefinition, recovery };
  const start = { definition, detached: true, resumedFrom: null, from: null };
  const { id } = await here.client.start(start, ada);
  await work(here, id, prepared);
  let beat = 0;
  /** The open job, claimed; its host beats with these signals. */
  const says = async (signals: object) => {
    const execution = (await view(here, id)).execution?.id;
    if (execution === undefined) throw new Error('nothing is open');
    const claim = await here.plane.claim({ execution, holder, nonce: `nonce ${execution}` });
    if (!claim.ok) throw new Error(claim.reason);
    beat += 1;
    const { grantId } = claim;
    const told = { beat, signals: JSON.stringify(signals), usage: null };
    return here.plane.heartbeat({ execution, grantId, ...told });
  };
  const stalled = (stalledMs: number, more = {}) => says({ state: 'stalled', stalledMs, ...more });
  const types = async () => (await here.client.events(id, 0, 1_000)).map(({ event }) => event.type);
  return { here, run: id, says, stalled, types };
}

function sweepsOf(here: Bench, sighting: LaneSighting = { state: 'alive' }) {
  const { lanes, ended } = lanesThatSee(sighting, gone);
  const options = { engine: here.engine, plane: here.plane, lanes, ttlMs: 30_000, log: () => {} };
  const [one, other] = [sweeper(options), sweeper(options)];
  const both = async () => (await one.sweep()) + (await other.sweep());
  return { one, other, both, ended };
}

/** Beats and sweeps as time goes by, for as long as a test wants. */
async function lives(
  { stalled }: Pick<Awaited<ReturnType<typeof lane>>, 'stalled'>,
  { sweep }: Sweeper,
  sweeps: number,
) {
  for (let n = 1; n <= sweeps; n += 1) {
    await stalled(n * 15_000);
    await sweep();
  }
}

test('it is nudged twice, then re-spawned on the same attempt (RR-5, RR-22, RR-25, RR-29, L-D6)', async () => {
  const one = await lane();
  const { here, run, types } = one;
  const { one: sweeps, ended } = sweepsOf(here);
  const before = (await view(here, run)).execution?.id;
  await lives(one, sweeps, 6);
  expect((await types()).filter((type) => type === 'execution.nudged')).toHaveLength(2);
  expect(ended).toEqual([]);
  await lives(one, sweeps, 0);
  await one.stalled(105_000);
  expect(await sweeps.sweep()).toBe(1);
  expect(ended).toEqual([before]);
  const now = await view(here, run);
  expect(now).toMatchObject({ status: 'active', phase: 'executing', attempt: { n: 1 } });
  expect(now.execution?.id).not.toBe(before);
  const [recovery] = (await here.client.events(run, 0, 1_000)).flatMap(({ event }) =>
    event.type === 'recovery.recorded' ? [event] : [],
  );
  expect(recovery).toMatchObject({
    ...{ class: 'lane_died', action: 'requeue', execution: before },
    detail: expect.stringMatching(/^no progress: .*stalled for 105 s, nudged 2 times/),
  });
});

test('what it was last seen to do is kept with its end, whoever ended it (RR-32)', async () => {
  const seen = { reason: 'model_wait', delivery: 'started', lastOutputAt: 400, lastFileAt: null };
  const signs = {
    ...{ state: 'stalled', reason: 'model_wait', delivery: 'started' },
    outputAt: 400,
  };
  const ends = async ({ here, run }: Pick<Awaited<ReturnType<typeof lane>>, 'here' | 'run'>) =>
    (await here.client.events(run, 0, 1_000)).flatMap(({ event }) =>
      event.type === 'execution.failed' ? [event] : [],
    );
  const lost = await lane();
  const { one } = sweepsOf(lost.here, { ...gone });
  await lost.stalled(10_000, seen);
  expect(await one.sweep()).toBe(1);
  expect(await ends(lost)).toMatchObject([{ class: 'lane_died', signs, result: null }]);
  const sealed = await lane();
  await sealed.stalled(10_000, seen);
  await work(sealed.here, sealed.run, died);
  expect(await ends(sealed)).toMatchObject([{ class: 'lane_died', signs, result: died }]);
});

test('its host is told of each nudge with every beat, and two sweeps give it once (RR-28)', async () => {
  const { here, stalled, types } = await lane();
  const { both } = sweepsOf(here);
  expect(await stalled(30_000)).toEqual({ ok: true, cancel: false, pause: false });
  expect(await both()).toBe(0);
  await stalled(33_000);
  expect(await both()).toBe(1);
  expect(await stalled(36_000)).toMatchObject({ ok: true, nudges: 1 });
  expect(await both()).toBe(0);
  expect(await stalled(39_000)).toMatchObject({ ok: true, nudges: 1 });
  expect((await types()).filter((type) => type === 'execution.nudged')).toHaveLength(1);
});

test('a look at the same beat again is no second look', async () => {
  const { here, stalled } = await lane();
  const { one, ended } = sweepsOf(here);
  await stalled(200_000);
  for (let n = 0; n < 5; n += 1) expect(await one.sweep()).toBe(0);
  await stalled(203_000);
  expect(await one.sweep()).toBe(1);
  expect(ended).toHaveLength(1);
});

test('who works again between look and end is left alone; its silence is not forgotten', async () => {
  const { here, says, stalled } = await lane();
  const { one, ended } = sweepsOf(here);
  await stalled(105_000);
  await one.sweep();
  await says({ state: 'working_protocol', stalledMs: 105_000 });
  expect(await one.sweep()).toBe(0);
  await stalled(108_000);
  expect(await one.sweep()).toBe(0);
  expect(ended).toEqual([]);
  await stalled(111_000);
  expect(await one.sweep()).toBe(1);
});

test.each([
  ['waits for a human', { state: 'stalled', reason: 'awaiting_input', stalledMs: 1e9 }],
  ['is inside a tool call', { state: 'working_tool', stalledMs: 1e9 }],
  ['is quiet', { state: 'quiet', stalledMs: 1e9 }],
  ['says what nobody understands', { state: 7, stalledMs: 'long' }],
])('who %s is left alone (RR-6, RR-10)', async (_, signals) => {
  const { here, says } = await lane();
  const { one, ended } = sweepsOf(here);
  for (let n = 0; n < 3; n += 1) {
    await says(signals);
    expect(await one.sweep()).toBe(0);
  }
  expect(ended).toEqual([]);
});

test('on another machine it is fenced off: its next beat is refused (RR-24)', async () => {
  const { here, run, stalled } = await lane();
  const { one, ended } = sweepsOf(here, { state: 'elsewhere', forMs: 0 });
  const execution = (await view(here, run)).execution?.id;
  const grantId = (await here.engine.store.openExecutions())[0]?.lease?.grantId;
  await stalled(105_000);
  await one.sweep();
  const claimed = (await here.engine.store.openExecutions())[0]?.lease?.grantId ?? grantId;
  await stalled(108_000);
  expect(await one.sweep()).toBe(1);
  expect(ended).toEqual([]);
  if (execution === undefined || claimed === undefined) throw new Error('no lease');
  const late = { execution, grantId: claimed, beat: 99, signals: '{}', usage: null };
  expect(await here.plane.heartbeat(late)).toMatchObject({ ok: false });
  expect(await view(here, run)).toMatchObject({ phase: 'executing', attempt: { n: 1 } });
});

describe('the budget of its job', () => {
  test('is spent by each re-spawn, then its operator is asked; only sealed work resets it (RR-30, RR-31, RR-47, L-D6)', async () => {
    const one = await lane();
    const { here, run, stalled } = one;
    const { one: sweeps, ended } = sweepsOf(here);
    const dies = async () => {
      await stalled(105_000);
      await sweeps.sweep();
      await stalled(108_000);
      await sweeps.sweep();
    };
    await dies();
    await dies();
    expect(await view(here, run)).toMatchObject({ status: 'active', attempt: { n: 1 } });
    await dies();
    expect(ended).toHaveLength(3);
    const parked = await view(here, run);
    expect(parked).toMatchObject({
      ...{ status: 'needs_operator', reason: 'recovery_exhausted', attempt: { n: 1 } },
      attempts: [],
    });
    await here.client.resume(run, nothing, ada);
    await dies();
    expect(await view(here, run)).toMatchObject({ status: 'active', phase: 'executing' });
    await work(here, run, executed);
    expect(await view(here, run)).toMatchObject({ phase: 'verifying', attempt: { n: 1 } });
  });
  test('and its figures are those of the snapshot of its run (RR-40)', async () => {
    const own = { requeues: 0, transfers: 0, nudges: 0, silenceMs: 30_000 };
    const { here, run, stalled, types } = await lane(own);
    const { one } = sweepsOf(here);
    await stalled(30_000);
    await one.sweep();
    await stalled(33_000);
    expect(await one.sweep()).toBe(1);
    expect(await types()).not.toContain('execution.nudged');
    expect(await view(here, run)).toMatchObject({ reason: 'recovery_exhausted' });
  });
});
