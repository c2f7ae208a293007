import type { Instant } from '../domain/ids.ts';
import type { CancelSignal } from '../kernel/cancel-signal.ts';

/** Two clocks, never mixed: wall time for timers and people, monotonic time for deadlines. */
export interface Clock {
  now(): Instant;
  /** Milliseconds of a clock that never goes back and does not count wall adjustments. */
  monotonicMs(): number;
  /** Resolves after `ms` or when the signal aborts, whichever is first; never rejects. */
  sleep(ms: number, signal?: CancelSignal): Promise<void>;
}
