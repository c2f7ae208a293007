/** Says the last word of an execution: again and again while the store does not answer. */
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { PlaneAnswer } from '../ports/plane.ts';

export interface HandInOptions {
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'fraction'>;
  /** How long it is tried; after that what was sealed lies in the spool for the sweep. */
  readonly forMs: number;
  readonly onFailure: (error: unknown) => void;
}

const pauseMsMax = 5_000;

/** Null: nobody answered in time. `say` must be safe to repeat: the same again, the same answer. */
export async function handIn(
  options: HandInOptions,
  say: () => Promise<PlaneAnswer>,
): Promise<PlaneAnswer | null> {
  const end = options.clock.monotonicMs() + options.forMs;
  for (let pause = 100; ; pause = Math.min(pause * 2, pauseMsMax)) {
    try {
      return await say();
    } catch (error: unknown) {
      options.onFailure(error);
    }
    const wait = pause * (0.5 + options.ids.fraction());
    if (options.clock.monotonicMs() + wait >= end) return null;
    await options.clock.sleep(wait);
  }
}
