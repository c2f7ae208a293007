import { expect, test } from 'vitest';
import type { DriverEnd } from '../engine/driver.ts';
import type { ErrorCode } from '../kernel/error-codes.ts';
import { type ProductError, TransientError, WorldError } from '../kernel/errors.ts';
import { keptDriving } from './kept-driving.ts';

const silent = new TransientError('store.busy', 'the database does not answer');

/** Drivers that end as told, each after so long. */
function server(ends: readonly (DriverEnd | Error)[], lastsMs = 60_000) {
  let nowMs = 0;
  let drives = 0;
  const told: ErrorCode[] = [];
  const controller = new AbortController();
  const clock = {
    monotonicMs: () => nowMs,
    sleep: async (ms: number) => {
      nowMs += ms;
    },
  };
  const drive = async (): Promise<DriverEnd> => {
    const end = ends[Math.min(drives, ends.length - 1)];
    drives += 1;
    nowMs += lastsMs;
    if (end === undefined || end instanceof Error) throw end;
    return end;
  };
  const { signal } = controller;
  const broken = ({ code }: ProductError) => void told.push(code);
  const done = () => keptDriving({ clock, signal, drive, broken });
  return { done, told, controller, drives: () => drives, hours: () => nowMs / 3_600_000 };
}

test('a database that comes back is driven again (RR-7)', async () => {
  const { done, told } = server([silent, silent, { why: 'asked' }]);
  expect(await done()).toEqual({ why: 'asked' });
  expect(told).toEqual(['store.busy', 'store.busy']);
});

test('whoever is asked to end meanwhile does not wait for it', async () => {
  const { done, controller, drives } = server([silent]);
  controller.abort();
  expect(await done()).toEqual({ why: 'asked' });
  expect(drives()).toBe(0);
});

test('one that never comes back is given up after 12 h, and good stretches do not count', async () => {
  const lost = server([silent]);
  await expect(lost.done()).rejects.toBe(silent);
  expect(lost.hours()).toBeCloseTo(12, 0);
  const often = server([...Array.from({ length: 2_000 }, () => silent), { why: 'idle' }], 600_000);
  expect(await often.done()).toEqual({ why: 'idle' });
});

test('a store of a later program, and a bug, end it at once', async () => {
  const newer = new WorldError('store_newer', 'format 3');
  await expect(server([newer]).done()).rejects.toBe(newer);
  const bug = new TypeError('x');
  await expect(server([bug]).done()).rejects.toBe(bug);
});
