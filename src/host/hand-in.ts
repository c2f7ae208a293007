/** Says the last word of an execution: again and again while the store does not answer. */
import { isTooOld } from '../kernel/too-old.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { PlaneAnswer } from '../ports/plane.ts';

export interface HandInOptions {
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'fraction'>;
  /** How long it is tried; after that what was sealed lies in the spool for the sweep. */
  readonly forMs: number;
  readonly onFailure: (error: unknown) => void;
  /**
   * Another program than that of the store may stand behind the plane: a refusal of an older one
   * than the store is a matter of time.
   */
  readonly isRemote: boolean;
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
      // What is sealed lies in the spool, for the driver of the later program.
      if (!options.isRemote && isTooOld(error)) return null;
    }
    const wait = pause * (0.5 + options.ids.fraction());
    if (options.clock.monotonicMs() + wait >= end) return null;
    await options.clock.sleep(wait);
  }
}
