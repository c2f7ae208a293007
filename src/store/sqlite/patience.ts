import type { Clock } from '../../ports/clock.ts';
import { busyError, isBusy, storeError } from './sqlite-error.ts';

/** How long anyone waits for a busy store before the user hears of it. */
export const patienceMs = 10_000;

const pauseFirstMs = 4;
const pauseMaxMs = 250;

/**
 * Length of the n-th pause: doubles, with jitter, so that many who wait do not come back at once.
 */
export const pauseMs = (tries: number, fraction: number): number =>
  Math.min(pauseMaxMs, pauseFirstMs * 2 ** Math.min(tries, 10)) * (0.5 + fraction);

/**
 * Does it again while SQLite is busy, for at most {@link patienceMs}; the wait is not in C, so the
 * process goes on beating meanwhile. @throws TransientError `store.busy` after that.
 */
export async function patiently<T>(clock: Clock, action: () => T): Promise<T> {
  // Nearly always the first try does it, and Node takes a while to load its clock.
  let until: number | null = null;
  for (let tries = 0; ; tries += 1) {
    try {
      return action();
    } catch (error: unknown) {
      if (!isBusy(error)) throw storeError(error);
      until ??= clock.monotonicMs() + patienceMs;
      if (clock.monotonicMs() >= until) throw busyError(error);
      await clock.sleep(pauseMs(tries, Math.random()));
    }
  }
}
