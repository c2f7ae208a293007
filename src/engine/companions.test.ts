/** Goal: a machine is kept awake while runs are active, and its sleep counts against nobody. */
import { expect, test } from 'vitest';
import { bench, plainDefinition } from '../../test/sim/bench-of-one.ts';
import { ada } from '../../test/sim/human.ts';
import type { Clock } from '../ports/clock.ts';
import type { WakeLock } from '../ports/wake-lock.ts';
import { awakeKeeper } from './awake.ts';
import { sleepWatch, sleptBetween } from './sleep-watch.ts';

const start = (keepAwake: boolean) => ({
  definition: { ...plainDefinition, keepAwake },
  detached: true,
  resumedFrom: null,
  from: null,
});

function lock(held = true) {
  const said: string[] = [];
  const wakeLock: WakeLock = {
    hold: async () => {
      said.push('hold');
      return held
        ? { held: true, by: 'a test', release: async () => void said.push('release') }
        : { held: false, why: 'no bus' };
    },
  };
  return { said, wakeLock };
}

test('the machine is held while a run is active, and let go of when none is (UX 3.2)', async () => {
  const here = bench();
  const { said, wakeLock } = lock();
  const log: string[] = [];
  const keeper = awakeKeeper(here.engine, wakeLock, (line) => log.push(line));
  await keeper.turn();
  expect(said).toEqual([]);
  const { id } = await here.client.start(start(true), ada);
  await keeper.turn();
  await keeper.turn();
  expect(said).toEqual(['hold']);
  await here.client.cancel(id, '', ada);
  await keeper.turn();
  await keeper.release();
  expect(said).toEqual(['hold', 'release']);
  expect(log).toEqual(['kept awake by a test', 'the machine may sleep again']);
});

test('keepAwake: false holds nothing', async () => {
  const here = bench();
  const { said, wakeLock } = lock();
  await here.client.start(start(false), ada);
  await awakeKeeper(here.engine, wakeLock, () => undefined).turn();
  expect(said).toEqual([]);
});

test('what cannot be held is said once', async () => {
  const here = bench();
  const { said, wakeLock } = lock(false);
  const log: string[] = [];
  await here.client.start(start(true), ada);
  const keeper = awakeKeeper(here.engine, wakeLock, (line) => log.push(line));
  await keeper.turn();
  await keeper.turn();
  expect(said).toEqual(['hold']);
  expect(log).toEqual(['not kept awake: no bus']);
});

test('a sleep is told to every active run; a clock that was set is no sleep', async () => {
  const here = bench();
  const { id } = await here.client.start(start(true), ada);
  let uptime = 0;
  const clock: Clock = { ...here.engine.clock, monotonicMs: () => 0, uptimeMs: () => uptime };
  const watch = sleepWatch({ ...here.engine, clock }, () => undefined);
  here.pass(3_600_000);
  await watch.turn();
  uptime = 3_600_000;
  here.pass(3_600_000);
  await watch.turn();
  await watch.turn();
  const events = await here.client.events(id, 0, 100);
  const slept = events.filter(({ event }) => event.type === 'machine.slept');
  expect(slept.map(({ event }) => event)).toMatchObject([{ since: 3_601_000, until: 7_201_000 }]);
});

test('a machine that does not tell how long it is up never slept', () => {
  const still = { monotonic: 0, uptime: null };
  expect(sleptBetween(still, { monotonic: 0, uptime: 9e9 })).toBe(0);
  expect(sleptBetween({ monotonic: 0, uptime: 0 }, { monotonic: 500, uptime: 500 })).toBe(0);
  expect(sleptBetween({ monotonic: 0, uptime: 0 }, { monotonic: 9e6, uptime: 9e6 })).toBe(9e6);
});
