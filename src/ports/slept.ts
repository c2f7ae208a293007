import type { Clock } from './clock.ts';

/** What the two clocks of one machine may differ by without a sleep between them. */
const sleptMsMin = 500;

/** What the machine has slept since now, in ms; 0 where it does not tell how long it is up. */
export function sleptSince(clock: Pick<Clock, 'monotonicMs' | 'uptimeMs'>): () => number {
  const aheadMs = () => (clock.uptimeMs?.() ?? 0) - clock.monotonicMs();
  if (clock.uptimeMs === undefined) return () => 0;
  const before = aheadMs();
  return () => {
    const sleptMs = aheadMs() - before;
    return sleptMs < sleptMsMin ? 0 : sleptMs;
  };
}
