/**
 * How a simulated host speaks to the plane: a thrown error is no refusal, so it asks again,
 * bounded.
 */
import type { SimProcess } from './process.ts';

const triesMax = 6;

export async function insist<T>(process: SimProcess, call: () => Promise<T>): Promise<T | null> {
  for (let tries = 1; tries <= triesMax; tries += 1) {
    try {
      return await call();
    } catch {
      await process.clock.sleep(1_000 * tries);
    }
  }
  return null;
}
