import { expect, test } from 'vitest';
import type { Instant } from '../domain/ids.ts';
import type { Clock } from './clock.ts';
import { toldClock } from './told-clock.ts';

const minute = 60_000;

/** A machine whose wall clock is ten minutes ahead of the other's. */
function machine() {
  const time = { wall: 1_000_000 + 10 * minute, monotonic: 500, uptime: 7_000 };
  const own: Clock = {
    now: () => time.wall as Instant,
    monotonicMs: () => time.monotonic,
    uptimeMs: () => time.uptime,
    sleep: async () => {},
  };
  const pass = (ms: number) => {
    for (const name of ['wall', 'monotonic', 'uptime'] as const) time[name] += ms;
  };
  return { time, pass, ...toldClock(own) };
}

test('until it was told it says its own time, then the time of the other (D-39)', () => {
  const { clock, heard, pass } = machine();
  expect(clock.now()).toBe(1_000_000 + 10 * minute);
  heard({ at: 1_000_000, sentMs: 480, heardMs: 500 });
  expect(clock.now()).toBe(1_000_010);
  pass(5_000);
  expect(clock.now()).toBe(1_005_010);
});

test('a wall clock that is set here changes nothing, a sleep of the machine counts (D-39, D-43)', () => {
  const { clock, heard, time } = machine();
  heard({ at: 1_000_000, sentMs: 500, heardMs: 500 });
  time.wall -= 20 * minute;
  expect(clock.now()).toBe(1_000_000);
  time.uptime += 30 * minute;
  expect(clock.now()).toBe(1_000_000 + 30 * minute);
});

test('a slow answer does not replace a quick one, until that is old', () => {
  const { clock, heard, pass } = machine();
  heard({ at: 1_000_000, sentMs: 500, heardMs: 500 });
  pass(8_000);
  const slow = { at: 1_000_100, sentMs: 500, heardMs: 8_500 };
  heard(slow);
  expect(clock.now()).toBe(1_008_000);
  pass(2 * minute);
  heard({ ...slow, sentMs: 120_500, heardMs: 128_500, at: 1_125_000 });
  expect(clock.now()).toBe(1_129_000);
});
