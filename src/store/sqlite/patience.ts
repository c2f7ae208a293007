import type { Clock } from '../../ports/clock.ts';
import { patienceMs, pauseMs } from '../pause.ts';
import { busyError, isBusy, storeError } from './sqlite-error.ts';

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
