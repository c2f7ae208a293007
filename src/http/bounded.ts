/** An answer that is of use only while somebody waits for it. */
import { TransientError } from '../kernel/errors.ts';
import type { Clock } from '../ports/clock.ts';

/**
 * Asks at most once at a time: who comes while an answer is under way waits for that one, each no
 * longer than `withinMs`.
 * @throws TransientError `store.busy` when it does not come in time; what `ask` throws.
 */
export function bounded<T>(
  { clock, withinMs }: { readonly clock: Pick<Clock, 'sleep'>; readonly withinMs: number },
  ask: () => Promise<T>,
): () => Promise<T> {
  let underWay: Promise<T> | null = null;
  const asking = (): Promise<T> => {
    underWay ??= ask().finally(() => {
      underWay = null;
    });
    return underWay;
  };
  return async () => {
    const over = new AbortController();
    const late = async (): Promise<never> => {
      await clock.sleep(withinMs, over.signal);
      throw new TransientError('store.busy', `the store did not answer within ${withinMs} ms`);
    };
    try {
      return await Promise.race([asking(), late()]);
    } finally {
      over.abort();
    }
  };
}
