import type { CancelSignal } from '../kernel/cancel-signal.ts';
import type { Clock } from '../ports/clock.ts';

/** Between two looks while a human is waited for. */
const lookMs = 1_000;

export interface WorkingTime {
  readonly deadlineMs: number;
  /** For how long a human was waited for, up to now; it is not the lane's time. */
  readonly waitedMs: () => number;
}

/** Resolves when the time is worked off, or when `over` aborts. */
export async function workingDeadline(
  clock: Clock,
  { deadlineMs, waitedMs }: WorkingTime,
  over: CancelSignal,
): Promise<void> {
  const begun = clock.monotonicMs();
  const before = waitedMs();
  const workedMs = () => clock.monotonicMs() - begun - (waitedMs() - before);
  let leftMs = deadlineMs;
  while (leftMs > 0 && !over.aborted) {
    await clock.sleep(leftMs, over);
    const nowLeftMs = deadlineMs - workedMs();
    // Time that does not pass, passes before a human: it is looked at again, but not at once.
    leftMs = nowLeftMs > 0 ? Math.max(nowLeftMs, lookMs) : 0;
  }
}
