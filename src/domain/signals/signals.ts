/**
 * Convergence signals (DESIGN §4.1): whether errors pile up so that a further content retry is not
 * worth its money. Asked only before a content retry; recovery asks its own budgets. The next
 * attempt is told (a warning the model may heed); the breaker is not told, it acts (EV-64).
 */
import type { Counters } from '../run/state.ts';

export const defaultThreshold = 3;

type Signals = Pick<Counters, 'unhealedErrors' | 'timeouts' | 'totalErrors'>;

/** Errors not healed on their own attempt, or window time-outs in a row, reached the threshold. */
export function hasConvergenceSignals(signals: Signals, threshold = defaultThreshold): boolean {
  return signals.unhealedErrors >= threshold || signals.timeouts >= threshold;
}

/** One warning line for the next attempt; '' when there is nothing to warn of. */
export function formatForPrompt(signals: Signals): string {
  const { totalErrors, unhealedErrors, timeouts } = signals;
  if (totalErrors === 0 && timeouts === 0) return '';
  const parts = [
    `${totalErrors} ${totalErrors === 1 ? 'error' : 'errors'} so far`,
    ...(unhealedErrors > 0 ? [`${unhealedErrors} not recovered from`] : []),
    ...(timeouts > 0 ? [`${timeouts} time-outs in a row`] : []),
  ];
  return `Warning: ${parts.join(', ')}. Prefer small, certain steps over another try of the same.`;
}
