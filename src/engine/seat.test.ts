import { expect, test } from 'vitest';
import type { Holder } from '../domain/execution/state.ts';
import type { Instant } from '../domain/ids.ts';
import type { Clock } from '../ports/clock.ts';
import type { Seat, SeatRow } from '../ports/store.ts';
import { attendance, keepSeat, seatFigures, takeSeat } from './seat.ts';

const never = { aborted: false, addEventListener: () => {}, removeEventListener: () => {} };
const holderOf = (pid: number): Holder => ({ worker: 'here', bootId: 'b', pid, started: 1 });
const seat: Seat = { seat: 'driver', holder: holderOf(2), version: 'x' };

/**
 * A seat that another process holds; `beats` says its beat at each look, `lives` whether it does.
 */
function held(beats: (look: number) => number, lives: boolean) {
  let now = 0;
  let looks = 0;
  const taken: (SeatRow | null)[] = [];
  return {
    taken,
    looks: () => looks,
    options: {
      store: {
        takeSeat: async (_: Seat, takeOver: SeatRow | null) => {
          looks += 1;
          const beat = beats(looks);
          const row: SeatRow = { ...seat, holder: holderOf(1), beat, since: 0 as Instant };
          if (takeOver === null) return { ours: false, row };
          taken.push(takeOver);
          return { ours: true, row };
        },
        beatSeat: async () => beats(0) > 0,
        leaveSeat: async () => {},
      },
      clock: {
        now: () => now as Instant,
        monotonicMs: () => now,
        sleep: async (ms: number) => {
          now += ms;
        },
      },
      processes: { lives: () => lives },
      seat,
      beatMs: 5_000,
      ttlMs: 30_000,
      standBy: false,
    },
  };
}

test('a seat whose holder is proven dead is taken over at once', async () => {
  const scene = held(() => 1, false);
  expect(await takeSeat(scene.options, never)).toBe(true);
  expect(scene.looks()).toBe(2);
});

test('a holder that beats keeps its seat', async () => {
  const scene = held((look) => look, true);
  expect(await takeSeat(scene.options, never)).toBe(false);
  expect(scene.taken).toEqual([]);
});

test('a holder that lives and stands still is followed only after a whole ttl', async () => {
  const scene = held(() => 1, true);
  expect(await takeSeat(scene.options, never)).toBe(true);
  expect(scene.options.clock.monotonicMs()).toBeGreaterThanOrEqual(30_000);
});

test('a machine that slept is no silence: the count begins anew', async () => {
  const scene = held(() => 1, true);
  let sleeps = 0;
  const { clock } = scene.options;
  const napping = {
    ...clock,
    sleep: async (ms: number) => {
      sleeps += 1;
      await clock.sleep(sleeps === 3 ? 3_600_000 : ms);
    },
  };
  expect(await takeSeat({ ...scene.options, clock: napping }, never)).toBe(true);
  expect(clock.monotonicMs()).toBeGreaterThanOrEqual(3_600_000 + 30_000);
});

test('who lost the seat hears of it with the next beat', async () => {
  const scene = held(() => 0, true);
  expect(await keepSeat(scene.options, never, () => {})).toBe(false);
});

/** How a seat looks to one who looks each five seconds, with this beat at each look. */
function looked(beats: readonly number[], signs: { lives?: boolean; stopped?: boolean } = {}) {
  let now = 0;
  const { lives = true, stopped = false } = signs;
  const drives = attendance(
    { lives: () => lives, stopped: () => stopped },
    { clock: { monotonicMs: () => now } as Clock, ...seatFigures },
  );
  return beats.map((beat) => {
    const row: SeatRow = { ...seat, holder: holderOf(1), beat, since: 0 as Instant };
    const is = drives(row);
    now += 5_000;
    return is;
  });
}

test('who drives is told by its process and its beats: a stopped one drives nothing (RR-13)', () => {
  expect(looked([1])).toEqual([true]);
  expect(looked([1], { lives: false })).toEqual([false]);
  expect(looked([1], { stopped: true })).toEqual([false]);
  const still = looked(Array<number>(8).fill(1));
  expect(still).toEqual([true, true, true, true, true, true, false, false]);
  const moving = looked([1, 1, 2, 2, 3, 3, 4, 4, 5]);
  expect(moving).not.toContain(false);
});
