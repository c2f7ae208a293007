/** What one of several drivers does for all, and when it may. */
import { expect, test } from 'vitest';
import { bench } from '../../test/sim/bench-of-one.ts';
import type { Holder } from '../domain/execution/state.ts';
import { driverRoles } from './driver-roles.ts';

const holderOf = (pid: number): Holder => ({ worker: 'here', bootId: 'b', pid, started: 1 });

function drivers() {
  const { engine } = bench();
  const driverOf = (pid: number) =>
    driverRoles(
      {
        ...{ store: engine.store, clock: engine.clock, beatMs: 1_000, ttlMs: 30_000 },
        processes: { lives: () => true },
        seat: { seat: 'driver', holder: holderOf(pid), version: 'x' },
        standBy: false,
      },
      { name: 'home', lies: async () => true },
    );
  return { store: engine.store, one: driverOf(1), two: driverOf(2) };
}

test('slots are given away in turn: the seat is held meanwhile, and nobody else has a turn', async () => {
  const { store, one, two } = drivers();
  const given = await one.among.slots(async (turn) => {
    const [row] = await store.seats();
    expect(row).toMatchObject({ seat: 'slots', holder: holderOf(1) });
    expect(turn).toMatchObject({ seat: 'slots', holder: holderOf(1) });
    expect(await two.among.slots(async () => 'too')).toBeNull();
    return 'mine';
  });
  expect(given).toBe('mine');
  expect(await store.seats()).toEqual([]);
  expect(await two.among.slots(async ({ holder } = none) => holder.pid)).toBe(2);
});

const none = { seat: 'slots', holder: holderOf(0), version: '' } as const;

test('a turn ends with what was done in it, also when that failed', async () => {
  const { store, one, two } = drivers();
  const failing = one.among.slots(() => Promise.reject(new Error('x')));
  await expect(failing).rejects.toThrow('x');
  expect(await store.seats()).toEqual([]);
  expect(await two.among.slots(async () => 'free')).toBe('free');
});

test('where one driver is elected it asks for no turn', async () => {
  const { one } = drivers();
  const { among } = driverRoles({} as never, null);
  expect(await among.slots(async (turn) => turn === undefined)).toBe(true);
  expect(await one.among.slots(async (turn) => turn === undefined)).toBe(false);
});
