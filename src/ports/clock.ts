import type { Instant } from '../domain/ids.ts';
import type { CancelSignal } from '../kernel/cancel-signal.ts';

/** Two clocks, never mixed: wall time for timers and people, monotonic time for deadlines. */
export interface Clock {
  now(): Instant;
  /** Milliseconds of a clock that never goes back and does not count wall adjustments. */
  monotonicMs(): number;
  /**
   * Milliseconds since the machine was started, sleep counted, wall adjustments not; absent where
   * nobody knows. Beside `monotonicMs`, which stands still in sleep, it tells that a machine slept.
   */
  uptimeMs?(): number;
  /** Resolves after `ms` or when the signal aborts, whichever is first; never rejects. */
  sleep(ms: number, signal?: CancelSignal): Promise<void>;
}
