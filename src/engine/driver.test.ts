/**
 * Goal: a driver whose store a later pawl has migrated leaves at once, whether its rounds write or
 * not; one that was asked to leave just leaves.
 * Method: one engine over a store in memory that refuses what it is told to.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { bench, holder, plainDefinition } from '../../test/sim/bench-of-one.ts';
import { ada } from '../../test/sim/human.ts';
import { lanesThatSee } from '../../test/sim/lanes-that-see.ts';
import type { CancelSignal } from '../kernel/cancel-signal.ts';
import { WorldError } from '../kernel/errors.ts';
import type { Store } from '../ports/store.ts';
import { driver, driverDefaults } from './driver.ts';

const newer = new WorldError('store_newer', 'the store has format 3, this pawl knows 2');
const refuse = () => Promise.reject(newer);

function driving(refused: Partial<Store>, speed = 1) {
  const { engine } = bench();
  const clock = {
    ...engine.clock,
    monotonicMs: () => performance.now() * speed,
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

test('who cannot write his beat for a minute leaves, though his rounds find nothing wrong (RR-13)', async () => {
  const broken = new WorldError('store_unusable', 'disk I/O error');
  const { one, log } = driving({ beatSeat: () => Promise.reject(broken) }, 1_000);
  await expect(one.run(new AbortController().signal)).rejects.toBe(broken);
  expect(log.filter((line) => line.startsWith('beat:')).length).toBeGreaterThan(1);
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

test('a check host whose beat stands still for a lease is told as silent, and not before (RR-5)', async () => {
  const here = bench();
  await here.client.start(
    { definition: plainDefinition, detached: true, resumedFrom: null, from: null },
    ada,
  );
  const other = { ...holder, pid: 8 };
  await here.engine.store.takeSeat({ seat: 'checks', holder: other, version: 'x' }, null);
  const controller = new AbortController();
  const { clock } = here.engine;
  const began = clock.monotonicMs();
  const told: (readonly [boolean, number])[] = [];
  // The pauses between rounds pass at once; the beats of its own seat do not come.
  const sleep = async (ms: number, signal?: CancelSignal): Promise<void> => {
    if (ms <= driverDefaults.pollMs) return here.pass(ms);
    await new Promise<void>((resolve) =>
      signal?.addEventListener('abort', () => resolve(), { once: true }),
    );
  };
  await driver({
    engine: { ...here.engine, clock: { ...clock, sleep } },
    lanes: {
      ...lanesThatSee({ state: 'alive' }).lanes,
      ensureCheckHost: async (_holder, isSilent) => {
        told.push([isSilent, clock.monotonicMs() - began]);
        if (isSilent || told.length > 1_000) controller.abort();
      },
    },
    processes: { self: () => holder, lives: () => true },
    worker: 'here',
    version: 'x',
  }).run(controller.signal);
  expect(told.at(-1)?.[0]).toBe(true);
  expect(told.at(-1)?.[1]).toBeGreaterThanOrEqual(driverDefaults.ttlMs);
  expect(told.slice(0, -1).some(([isSilent]) => isSilent)).toBe(false);
});
