/**
 * Goal: what the store says has expired is lost at once, once, and its attempt goes on.
 * Method: one engine over a store in memory that says so, as PostgreSQL does.
 */
import { expect, test } from 'vitest';
import { executed, readyLane, sealOf } from '../../test/sim/bench-of-one.ts';
import { lanesThatSee } from '../../test/sim/lanes-that-see.ts';
import type { LaneSighting } from '../ports/lanes.ts';
import { sweeper } from './sweep.ts';

async function leased() {
  const { here, view, execution } = await readyLane();
  const holder = { worker: 'far', bootId: 'other', pid: 1, started: 1 };
  await here.plane.claim({ execution, holder, nonce: `nonce ${execution}` });
  const store = {
    ...here.engine.store,
    expireLeases: async () => {
      const open = await here.engine.store.openExecutions();
      return open.filter((one) => one.id === execution);
    },
  };
  return { here, view, execution, engine: { ...here.engine, store } };
}

const gone: LaneSighting = { state: 'dead', class: 'lane_died', detail: 'gone', sessionId: null };

test.each([
  ['elsewhere', { state: 'elsewhere', forMs: 0 }, 0, 'its lease expired'],
  ['alive', { state: 'alive' }, 1, 'its lease expired'],
  ['silent', { state: 'silent', forMs: 1 }, 1, 'its lease expired'],
  ['dead', gone, 1, 'lane_died'],
] as const)(
  'an expired lease of a holder that is %s is lost once by however many sweeps, same attempt (XP-11, RR-28)',
  async (_, sighting, endings, said) => {
    const { here, view, execution, engine } = await leased();
    const { lanes, ended } = lanesThatSee(sighting, gone);
    const log: string[] = [];
    const options = { engine, plane: here.plane, lanes, ttlMs: 30_000 };
    const sweeps = sweeper({ ...options, log: (line) => log.push(line) });
    expect(await sweeps.sweepExpired()).toBe(1);
    expect(await sweeps.sweepExpired()).toBe(0);
    expect(await sweeps.sweep()).toBe(0);
    expect(ended).toHaveLength(endings);
    expect(log.join()).toContain(said);
    const now = await view();
    expect(now).toMatchObject({ phase: 'executing', attempt: { n: 1 } });
    expect(now.execution?.id).not.toBe(execution);
  },
);

test('what a holder of this machine sealed until it was ended counts, though its lease had expired', async () => {
  const { here, view, execution, engine } = await leased();
  const grantId = (await here.engine.store.execution(execution))?.lease?.grantId;
  if (grantId === undefined) throw new Error('no lease');
  const seal = sealOf('left behind');
  const sealed: LaneSighting = { state: 'sealed', grantId, seal, result: executed };
  const { lanes } = lanesThatSee({ state: 'alive' }, sealed);
  const options = { engine, plane: here.plane, lanes, ttlMs: 30_000, log: () => {} };
  expect(await sweeper(options).sweepExpired()).toBe(1);
  expect(await view()).toMatchObject({ phase: 'verifying', attempt: { n: 1 } });
});

test('a holder that cannot be ended is not doubled, and is tried again by whole sweeps alone', async () => {
  const { here, view, execution, engine } = await leased();
  const { lanes, ended } = lanesThatSee({ state: 'alive' });
  const options = { engine, plane: here.plane, lanes, ttlMs: 30_000, log: () => {} };
  const sweeps = sweeper(options);
  for (let round = 0; round < 5; round += 1) expect(await sweeps.sweepExpired()).toBe(0);
  expect(ended).toHaveLength(1);
  expect(await sweeps.sweep()).toBe(0);
  expect(ended).toHaveLength(2);
  expect((await view()).execution?.id).toBe(execution);
});
