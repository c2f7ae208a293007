/**
 * Goal: before a run says that somebody did not end, whom this machine can end was ended.
 * Method: one engine; a lane that was asked to end, and the timer of its deadline.
 */
import { expect, test } from 'vitest';
import { executed, holder, readyLane, sealOf } from '../../test/sim/bench-of-one.ts';
import { ada } from '../../test/sim/human.ts';
import { lanesThatSee } from '../../test/sim/lanes-that-see.ts';
import { stopMs } from '../domain/run/timing.ts';
import type { LaneSighting } from '../ports/lanes.ts';
import { sweeper } from './sweep.ts';
import { timerPuller } from './timers.ts';

const gone: LaneSighting = { state: 'dead', class: 'lane_died', detail: 'gone', sessionId: null };

/** A lane that works and is asked to end by the cancel of its run. */
async function asked(sighting: LaneSighting, after: LaneSighting = gone) {
  const { here, view, id, execution } = await readyLane();
  const claimed = await here.plane.claim({ execution, holder, nonce: 'one' });
  if (!claimed.ok) throw new Error(claimed.reason);
  await here.plane.start({ execution, grantId: claimed.grantId, rung: 'x', pid: 7 });
  await here.client.cancel(id, 'enough', ada);
  const { lanes, ended } = lanesThatSee(sighting, after);
  const { engine, plane } = here;
  const { force } = sweeper({ engine, plane, lanes, ttlMs: 30_000, log: () => {} });
  const { pull } = timerPuller(engine, { log: () => {}, force });
  const status = async () => (await engine.store.execution(execution))?.status;
  return { here, view, execution, grantId: claimed.grantId, ended, force, pull, status };
}

test.each([
  ['does not heed it', { state: 'alive' }],
  ['is stopped', { state: 'silent', forMs: 10_000 }],
  ['died over it while no driver lived', gone],
] as const)(
  'who %s is ended at its deadline, which is proven (DESIGN 4.1, RR-12)',
  async (_, seen) => {
    const { here, view, ended, force, pull, status } = await asked(seen);
    await force((await view()).id);
    expect(ended).toEqual([]);
    here.pass(stopMs);
    await pull();
    expect(ended).toHaveLength(1);
    expect(await status()).toBe('CANCELLED');
    expect(await view()).toMatchObject({ status: 'cancelled', unproven: [] });
  },
);

test('what it sealed until then is handed in, not lost', async () => {
  const { here, view, grantId, pull, status } = await asked(gone);
  const seal = sealOf('at the last moment');
  const sealed: LaneSighting = { state: 'sealed', grantId, seal, result: executed };
  const { lanes } = lanesThatSee({ state: 'alive' }, sealed);
  const { engine, plane } = here;
  const { force } = sweeper({ engine, plane, lanes, ttlMs: 30_000, log: () => {} });
  here.pass(stopMs);
  await timerPuller(engine, { log: () => {}, force }).pull();
  await pull();
  expect(await status()).toBe('SUCCEEDED');
  expect(await view()).toMatchObject({ status: 'cancelled' });
});

test('who is on another machine is fenced off, and said to be unproven', async () => {
  const { here, view, execution, ended, pull } = await asked({ state: 'elsewhere', forMs: 0 });
  here.pass(stopMs);
  await pull();
  expect(ended).toEqual([]);
  expect(await view()).toMatchObject({ status: 'cancelled', unproven: [execution] });
});
