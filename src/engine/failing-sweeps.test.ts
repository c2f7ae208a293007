/**
 * Goal: the driver sweeps by itself, in its own process; that its sweeps keep failing is seen by
 * whoever looks, not in its log alone, until one succeeds.
 * Method: one engine over a store in memory that refuses the sweep's read until it is told to stop.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { bench, holder } from '../../test/sim/bench-of-one.ts';
import { lanesThatSee } from '../../test/sim/lanes-that-see.ts';
import type { Instant } from '../domain/ids.ts';
import type { Client } from '../ports/client.ts';
import { driver } from './driver.ts';
import { failingMost, sweepReport, withSweeps } from './failing-sweeps.ts';

const until = async <T>(look: () => Promise<T | undefined>, tries = 1_000): Promise<T> => {
  for (let n = 0; n < tries; n += 1) {
    const found = await look();
    if (found !== undefined) return found;
    await pause(5);
  }
  throw new Error('it did not come');
};
const failingIn = async (client: Client) =>
  (await client.drivers()).flatMap(({ failingSweeps }) => failingSweeps ?? []);

test('three sweeps that fail in a row are told to every reader, until one succeeds (RR-33, RR-42)', async () => {
  const { engine, client } = bench();
  const ending = new AbortController();
  const clock = {
    ...engine.clock,
    monotonicMs: () => performance.now(),
    sleep: async () => pause(1),
  };
  let isBroken = true;
  const refused = () => Promise.reject(new Error('EACCES: spool'));
  const openExecutions = () => (isBroken ? refused() : engine.store.openExecutions());
  const running = driver({
    engine: { ...engine, clock, store: { ...engine.store, openExecutions } },
    lanes: lanesThatSee({ state: 'alive' }).lanes,
    processes: { self: () => holder, lives: () => true },
    ...{ worker: 'here', version: 'test', stay: true },
    spans: { pollMs: 1, sweepMs: 1, beatMs: 20 },
  }).run(ending.signal);
  const [told] = await until(async () => {
    const found = await failingIn(client);
    return found.length === 0 ? undefined : found;
  });
  expect(told).toMatchObject({ detail: 'EACCES: spool' });
  expect(told?.count).toBeGreaterThanOrEqual(3);
  isBroken = false;
  await until(async () => ((await failingIn(client)).length === 0 ? true : undefined));
  ending.abort();
  expect(await running).toEqual({ why: 'asked' });
});

test('what a driver said that is no more is nothing of the one that drives now', async () => {
  const { engine } = bench();
  const { store } = engine;
  const at = 5 as Instant;
  const { failing } = sweepReport(store, holder);
  await failing(3, new Error('x'), at);
  await failing(4, new Error('y'), 9 as Instant);
  const seat = { seat: 'driver', holder, version: '1', beat: 1, since: at } as const;
  const own = await withSweeps(store, [seat]);
  expect(own[0]?.failingSweeps).toEqual({ count: 4, detail: 'y', since: at });
  expect(failingMost(own)).toBe(4);
  const next = { ...seat, holder: { ...holder, pid: holder.pid + 1 } };
  expect(failingMost(await withSweeps(store, [next]))).toBe(0);
  await sweepReport(store, next.holder).good();
  expect(await store.facts('sweeps:', 10)).toEqual([]);
  await store.swapFact('sweeps:here', null, '{"count":"many"}');
  expect(failingMost(await withSweeps(store, [seat]))).toBe(0);
});
