/**
 * What a run may spend, and what it has spent. Money is braked by known cost only (ruling 18): what
 * is unknown is shown, and held by tokens and time. A budget is spent when the figure reaches it.
 */

import type { Usage } from '../execution/state.ts';
import type { Instant } from '../ids.ts';
import type { Granted, RunFacts, Spent } from '../run/state.ts';

export type BudgetReason = 'tokens' | 'cost' | 'wall';

export const tokensOf = (spent: Spent): number =>
  spent.tokensIn + spent.tokensOut + spent.cacheRead + spent.cacheWrite;

/** The first budget that is spent at `at`, in a fixed order; null while there is room in all. */
export function spentBudget(run: RunFacts, at: Instant): BudgetReason | null {
  const { granted, spent } = run;
  if (reached(spent.costUsd, granted.costUsd)) return 'cost';
  if (reached(tokensOf(spent), granted.tokens)) return 'tokens';
  if (reached(activeMsAt(run, at), granted.timeMs)) return 'wall';
  return null;
}

/** Active time up to `at`; a clock that went back adds nothing. */
export function activeMsAt(run: RunFacts, at: Instant): number {
  if (run.activeSince === null) return run.spent.activeMs;
  return run.spent.activeMs + Math.max(0, at - run.activeSince);
}

/** Which budget a lane was stopped by, when the figures alone do not say: the first that is set. */
export function likelyBudget(granted: Granted): BudgetReason {
  if (granted.costUsd !== null) return 'cost';
  return granted.tokens === null ? 'wall' : 'tokens';
}

const reached = (spent: number, granted: number | null): boolean =>
  granted !== null && spent >= granted;

/** A figure that nobody told makes the sum a lower bound, which is said. */
export function addUsage(spent: Spent, usage: Usage): Spent {
  return {
    ...spent,
    costUsd: spent.costUsd + (usage.costUsd ?? 0),
    costKnown: spent.costKnown && usage.costUsd !== null,
    selfReported: spent.selfReported || usage.source === 'self-reported',
    tokensIn: spent.tokensIn + usage.tokensIn,
    tokensOut: spent.tokensOut + usage.tokensOut,
    cacheRead: spent.cacheRead + usage.cacheRead,
    cacheWrite: spent.cacheWrite + usage.cacheWrite,
  };
}
