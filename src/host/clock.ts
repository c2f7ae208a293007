import { uptime } from 'node:os';
import type { Instant } from '../domain/ids.ts';
import type { CancelSignal } from '../kernel/cancel-signal.ts';
import type { Clock } from '../ports/clock.ts';

/** The longest span that a timer of Node keeps; a longer sleep is made of several. */
const timerMsMax = 2 ** 31 - 1;

/** The clocks of this machine. The monotonic one stands still while the machine sleeps. */
export function nodeClock(): Clock {
  return {
    now: () => Date.now() as Instant,
    monotonicMs: () => performance.now(),
    uptimeMs: () => uptime() * 1_000,
    sleep,
  };
}

function sleep(ms: number, signal?: CancelSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = performance.now() + ms;
    let timer: NodeJS.Timeout | undefined;
    const finish = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', finish);
      resolve();
    };
    const wait = () => {
      const left = end - performance.now();
      if (left <= 0) finish();
      else timer = setTimeout(wait, Math.min(Math.ceil(left), timerMsMax));
    };
    if (signal?.aborted === true) finish();
    else {
      signal?.addEventListener('abort', finish, { once: true });
      wait();
    }
  });
}
