/** Waits that a hint ends; what is said while nobody waits is not lost: it ends the next wait. */
import type { CancelSignal } from '../kernel/cancel-signal.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';
import { stopAfter } from './stop-signal.ts';

export interface Ear {
  /** Ends after a hint since the last wait, after `ms`, or with the signal. */
  wait(ms: number, signal: CancelSignal): Promise<void>;
  /** Hears no more. */
  close(): void;
}

export interface EarOptions {
  readonly hints: Store['hints'];
  readonly sleep: Clock['sleep'];
}

/** Hears from now on, so it is made before the first look at the rows. */
export function ear({ hints, sleep }: EarOptions): Ear {
  let heard = false;
  let wake = () => {};
  const close = hints(() => {
    heard = true;
    wake();
  });
  return {
    wait: async (ms, signal) => {
      if (!heard) {
        const stop = stopAfter(signal);
        wake = stop.stop;
        await sleep(ms, stop.signal);
        stop.stop();
      }
      heard = false;
    },
    close,
  };
}
