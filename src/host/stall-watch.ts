/**
 * How long a lane was told as stalled in this execution, in all, and how often it was given a push
 * meanwhile. Nothing that it prints or does takes any of it back: only what is sealed ends it.
 */
import type { Clock } from '../ports/clock.ts';

export interface StallWatch {
  /** One look; the time since the one before counts if both found it stalled. */
  look(isStalled: boolean): void;
  nudged(count: number): void;
  /** As it stands in the signals; empty while there was nothing of it. */
  told(): Readonly<Record<string, number>>;
}

/** A look that came later than this was not watched: the host itself stood still. */
const stepMsMax = 9_000;

export function stallWatch({ monotonicMs }: Pick<Clock, 'monotonicMs'>, most: number): StallWatch {
  let stalledMs = 0;
  let nudges = 0;
  let lastMs: number | null = null;
  return {
    look(isStalled) {
      const nowMs = monotonicMs();
      if (isStalled && lastMs !== null) stalledMs += Math.min(nowMs - lastMs, stepMsMax);
      lastMs = isStalled ? nowMs : null;
    },
    nudged(count) {
      nudges = count;
    },
    told: () => ({
      ...(stalledMs === 0 ? {} : { stalledMs: Math.round(stalledMs) }),
      ...(nudges === 0 ? {} : { nudge: nudges, nudges: most }),
    }),
  };
}
