/**
 * Goal: what the store says has expired is lost at once, once, and its attempt goes on.
 * Method: one engine over a store in memory that says so, as PostgreSQL does.
 */
import { expect, test } from 'vitest';
import { bench, plainDefinition, prepared, work } from '../../test/sim/bench-of-one.ts';
import { ada } from '../../test/sim/human.ts';
import type { LaneSighting, Lanes } from '../ports/lanes.ts';
import { sweeper } from './sweep.ts';

async function leased() {
  const here = bench();
  const start = { definition: plainDefinition, detached: true, resumedFrom: null, from: null };
  const { id } = await here.client.start(start, ada);
  await work(here, id, prepared);
  const view = () => here.client.find({ text: id, project: null });
  const execution = (await view()).execution?.id;
  if (execution === undefined) throw new Error('nothing is open');
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

function lanesThatSee(sighting: LaneSighting) {
  const ended: string[] = [];
  const lanes: Lanes = {
    start: async () => {},
    ensureCheckHost: async () => {},
    look: async () => sighting,
    end: async ({ id }) => {
      ended.push(id);
      return { strength: 'kernel', rung: 'x', gaps: [] };
    },
    forget: async () => {},
  };
  return { lanes, ended };
}

test.each([
  ['elsewhere', 0],
  ['alive', 1],
] as const)(
  'an expired lease of a holder that is %s is lost once by however many sweeps, same attempt (XP-11, RR-28)',
  async (state, endings) => {
    const { here, view, execution, engine } = await leased();
    const { lanes, ended } = lanesThatSee({ state });
    const log: string[] = [];
    const options = { engine, plane: here.plane, lanes, ttlMs: 30_000 };
    const sweeps = sweeper({ ...options, log: (line) => log.push(line) });
    expect(await sweeps.sweepExpired()).toBe(1);
    expect(await sweeps.sweepExpired()).toBe(0);
    expect(await sweeps.sweep()).toBe(0);
    expect(ended).toHaveLength(endings);
    expect(log.join()).toContain('its lease expired');
    const now = await view();
    expect(now).toMatchObject({ phase: 'executing', attempt: { n: 1 } });
    expect(now.execution?.id).not.toBe(execution);
  },
);
