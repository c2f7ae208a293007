/** A lane that stands still at some beat, says so of itself, and may come to itself when nudged. */
import type { Agent } from './machine.ts';
import type { SimProcess } from './process.ts';
import type { Random } from './random.ts';
import type { Weather } from './weather.ts';

export interface Stalling {
  isStalled(): boolean;
  /** What its next beat says. */
  signals(): string;
  /** How often it was nudged until now. */
  nudged(times: number): void;
}

export function stalling(
  { random, weather }: { readonly random: Random; readonly weather: Weather },
  agent: Agent,
  clock: SimProcess['clock'],
): Stalling {
  let heard = 0;
  const maybeStall = (): void => {
    if (agent.stalledSince !== null || weather.stalls === 0) return;
    if (random.chance(weather.stalls)) agent.stalledSince = clock.monotonicMs();
  };
  return {
    isStalled: () => agent.stalledSince !== null,
    signals: () => {
      maybeStall();
      const since = agent.stalledSince;
      if (since === null) return '{}';
      const stalledMs = clock.monotonicMs() - since;
      return JSON.stringify({ state: 'stalled', reason: null, delivery: 'delivered', stalledMs });
    },
    nudged: (times) => {
      if (times > heard && random.chance(0.3)) agent.stalledSince = null;
      heard = Math.max(heard, times);
    },
  };
}
