/**
 * Budgets over runs: what all runs of a user, and all runs of one project, may spend in one day.
 * They come from the user's own configuration alone. Money counts where it is known (ruling 18);
 * what is unknown is held by tokens and time. A budget is spent when the figure reaches it.
 */
import type { Spent } from '../run/state.ts';
import { tokensOf } from './budget.ts';

export type SharedBudget = 'day' | 'project';

export interface SharedLimits {
  readonly costUsd: number | null;
  readonly tokens: number | null;
  /** Active time of the runs, added up. */
  readonly timeMs: number | null;
}

/** Null: not braked. */
export type SharedBudgets = Readonly<Record<SharedBudget, SharedLimits | null>>;

/** Metered and self-reported money stay apart until a brake asks for their sum. */
export interface SharedSpent {
  readonly meteredUsd: number;
  readonly selfReportedUsd: number;
  readonly tokens: number;
  readonly activeMs: number;
}

export const nothingShared: SharedSpent = {
  meteredUsd: 0,
  selfReportedUsd: 0,
  tokens: 0,
  activeMs: 0,
};

export type SharedFigure = 'cost' | 'tokens' | 'time';

/** The first figure that is spent, in a fixed order; null while there is room in all. */
export function spentFigure(limits: SharedLimits, spent: SharedSpent): SharedFigure | null {
  const { costUsd, tokens, timeMs } = limits;
  if (costUsd !== null && spent.meteredUsd + spent.selfReportedUsd >= costUsd) return 'cost';
  if (tokens !== null && spent.tokens >= tokens) return 'tokens';
  return timeMs !== null && spent.activeMs >= timeMs ? 'time' : null;
}

export function addShared(a: SharedSpent, b: SharedSpent): SharedSpent {
  return {
    meteredUsd: a.meteredUsd + b.meteredUsd,
    selfReportedUsd: a.selfReportedUsd + b.selfReportedUsd,
    tokens: a.tokens + b.tokens,
    activeMs: a.activeMs + b.activeMs,
  };
}

/** What came to a run between two looks at what it had spent; never less than nothing. */
export function sharedSince(before: Spent | null, now: Spent): SharedSpent {
  const costUsd = Math.max(0, now.costUsd - (before?.costUsd ?? 0));
  return {
    meteredUsd: now.selfReported ? 0 : costUsd,
    selfReportedUsd: now.selfReported ? costUsd : 0,
    tokens: Math.max(0, tokensOf(now) - (before === null ? 0 : tokensOf(before))),
    activeMs: Math.max(0, now.activeMs - (before?.activeMs ?? 0)),
  };
}
