/**
 * Goal: a driver whose store a later pawl has migrated leaves at once, whether its rounds write or
 * not; one that was asked to leave just leaves.
 * Method: one engine over a store in memory that refuses what it is told to.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { bench, holder } from '../../test/sim/bench-of-one.ts';
import { lanesThatSee } from '../../test/sim/lanes-that-see.ts';
import { WorldError } from '../kernel/errors.ts';
import type { Store } from '../ports/store.ts';
import { driver } from './driver.ts';

const newer = new WorldError('store_newer', 'the store has format 3, this pawl knows 2');
const refuse = () => Promise.reject(newer);

function driving(refused: Partial<Store>) {
  const { engine } = bench();
  const clock = {
    ...engine.clock,
    monotonicMs: () => performance.now(),
    sleep: async (ms: number, signal?: unknown) => {
      const ends = signal instanceof AbortSignal ? { signal } : {};
      await pause(ms, undefined, ends).catch(() => {});
    },
  };
  const log: string[] = [];
  const store = { ...engine.store, ...refused };
  const one = driver({
    engine: { ...engine, clock, store },
    lanes: lanesThatSee({ state: 'alive' }).lanes,
    processes: { self: () => holder, lives: () => true },
    worker: 'here',
    version: 'test',
    stay: true,
    log: (line) => log.push(line),
    spans: { pollMs: 5, beatMs: 20 },
  });
  return { one, log };
}

test.each([
  ['its beats, for its rounds write nothing', { beatSeat: refuse, leaveSeat: refuse }],
  ['a round', { timersDue: refuse, leaveSeat: refuse }],
])('it leaves at once when the store refuses %s (D-61)', async (_, refused) => {
  const { one } = driving(refused);
  await expect(one.run(new AbortController().signal)).rejects.toBe(newer);
});

test('it has been asked to leave: then what the store refuses is nothing to tell', async () => {
  const ending = new AbortController();
  const { one } = driving({
    timersDue: () => {
      ending.abort();
      return refuse();
    },
    leaveSeat: refuse,
  });
  expect(await one.run(ending.signal)).toEqual({ why: 'asked' });
});
