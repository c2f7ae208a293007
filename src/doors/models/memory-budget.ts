/**
 * A budget of one door, in memory: what is granted to this execution, by the rules of
 * `domain/budget`. It dies with its lane host, as does all spending through the door.
 */

import type { BudgetLimits } from '../../domain/budget/reservation.ts';
import { callBudget, hold, lacksRoom, settle } from '../../domain/budget/reservation.ts';
import type { ModelBudget, Spend } from '../../ports/models-door.ts';

export interface MemoryBudget extends ModelBudget {
  /** Raises or lowers what may be spent in all; calls under way are not touched. */
  grant(limits: BudgetLimits): void;
  spent(): Spend;
}

/** `limits` are of what this budget sees, spent here from zero. */
export function memoryBudget(limits: BudgetLimits): MemoryBudget {
  let budget = callBudget(limits);
  return {
    async reserve(call, estimate) {
      const limit = lacksRoom(budget, estimate);
      if (limit !== null) return { ok: false, limit };
      budget = hold(budget, call, estimate);
      return { ok: true };
    },
    async settle(call, spent) {
      budget = settle(budget, call, spent);
    },
    async release(call) {
      budget = settle(budget, call, null);
    },
    grant(raised) {
      budget = { ...budget, limits: raised };
    },
    spent: () => budget.spent,
  };
}
