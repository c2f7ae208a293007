/**
 * A budget that several calls spend at once. Before a call its estimate is held back, so that calls
 * beside each other cannot each spend what is left (L-F3); after it, the estimate is replaced by
 * what it came to.
 *
 * Invariants (property tests are titled by them):
 *   B1. Nothing is let through once the figure has reached the grant.
 *   B2. Beside other open calls, a call is let through only if all estimates fit together. An only
 *       call is let through while anything is left: an estimate must not end a run whose budget is
 *       not spent, so the figure can pass the grant by one call, not by as many as are open.
 *   B3. What is spent never falls, and what is held back is never below zero.
 */

export interface BudgetLimits {
  /** Null: not braked. */
  readonly costUsd: number | null;
  readonly tokens: number | null;
}
export interface CallSpend {
  readonly tokens: number;
  /** Null: the price is not known, so it cannot hold the cost (ruling 18). */
  readonly costUsd: number | null;
}
export interface CallBudget {
  readonly limits: BudgetLimits;
  readonly spent: { readonly tokens: number; readonly costUsd: number };
  readonly held: ReadonlyMap<number, CallSpend>;
}

export function callBudget(
  limits: BudgetLimits,
  spent: CallBudget['spent'] = { tokens: 0, costUsd: 0 },
): CallBudget {
  return { limits, spent, held: new Map() };
}

/** Which limit leaves no room; null: the call may be made, and its estimate is to be held. */
export function lacksRoom(budget: CallBudget, estimate: CallSpend): 'cost' | 'tokens' | null {
  const { limits, spent, held } = budget;
  if (isFull(limits.costUsd, spent.costUsd, costs(held), estimate.costUsd ?? 0)) return 'cost';
  if (isFull(limits.tokens, spent.tokens, counts(held), estimate.tokens)) return 'tokens';
  return null;
}

function isFull(limit: number | null, spent: number, held: number, more: number): boolean {
  if (limit === null) return false;
  return spent >= limit || (held > 0 && spent + held + more > limit);
}

export function hold(budget: CallBudget, call: number, estimate: CallSpend): CallBudget {
  return { ...budget, held: new Map(budget.held).set(call, estimate) };
}

/** `came`: what the call came to; null: nothing, as it was never answered. */
export function settle(budget: CallBudget, call: number, came: CallSpend | null): CallBudget {
  const held = new Map(budget.held);
  held.delete(call);
  const { tokens, costUsd } = budget.spent;
  const spent = {
    tokens: tokens + Math.max(0, came?.tokens ?? 0),
    costUsd: costUsd + Math.max(0, came?.costUsd ?? 0),
  };
  return { ...budget, spent, held };
}

const counts = (held: CallBudget['held']): number =>
  [...held.values()].reduce((sum, { tokens }) => sum + tokens, 0);
const costs = (held: CallBudget['held']): number =>
  [...held.values()].reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0);
