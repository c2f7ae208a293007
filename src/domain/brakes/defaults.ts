/**
 * The brakes of a run whose definition names none (ruling 20). `ceilings` of the user's file cap
 * them.
 */
import type { Brakes } from '../definition/definition.ts';
import { defaultThreshold } from '../signals/signals.ts';

const hourMs = 3_600_000;

export const defaultBrakes: Brakes = {
  attempts: 5,
  costUsd: 20,
  tokens: null,
  steps: null,
  timeMs: 8 * hourMs,
  attemptTimeMs: 1.5 * hourMs,
  waitTimeMs: 12 * hourMs,
  errorSignals: defaultThreshold,
};

/** The default money brake holds metered figures only; a value that the user sets holds always. */
export function defaultBrakesFor({ metered }: { readonly metered: boolean }): Brakes {
  return metered ? defaultBrakes : { ...defaultBrakes, costUsd: null };
}
