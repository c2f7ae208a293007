/**
 * Whether a lane may start now, wherever it is to run: the budgets over runs first, then the group
 * of its run. Hosts of this machine and workers elsewhere are held to the same answer.
 */
import { isLaneRole } from '../domain/execution/roles.ts';
import type { RunId } from '../domain/ids.ts';
import { ProductError } from '../kernel/errors.ts';
import type { BudgetSource } from '../ports/budgets.ts';
import type { ExecutionRow } from '../ports/store.ts';
import { type Capacity, capacity, takesSlot } from './capacity.ts';
import type { Engine } from './engine.ts';
import { type BudgetLook, type Overspent, sharedBudget } from './shared-budget.ts';

export type Refused =
  | { readonly why: 'budget_spent'; readonly over: Overspent }
  /** Nobody can tell what may be spent. */
  | { readonly why: 'budgets_unknown'; readonly detail: string }
  | { readonly why: 'no_slot'; readonly detail: string };

export interface Admission {
  /** Whoever was started first comes first. */
  inTurn(rows: readonly ExecutionRow[]): Promise<readonly ExecutionRow[]>;
  /** As things are at one look; whoever is let in counts at once. */
  look(rows: readonly ExecutionRow[]): Promise<{
    /** Null: it may start. */
    refused(row: ExecutionRow): Promise<Refused | null>;
  }>;
  room(): Promise<Capacity>;
  /**
   * Whether its group, with everything that was offered by now, is not over its size. Several
   * servers that look at the same time each see room: asked again when the offer is written, at
   * least one of them sees too much, and takes his offer back.
   */
  isWithin(run: RunId): Promise<boolean>;
}

export interface AdmissionOptions {
  readonly engine: Engine;
  /** Absent: nothing is braked over runs. */
  readonly budgets?: BudgetSource | undefined;
  readonly log: (line: string) => void;
}

/** What the runtime itself runs: no lane, no spending, no slot of a group. */
export const isCheck = ({ role }: Pick<ExecutionRow, 'role'>): boolean => !isLaneRole(role);

export function admission(options: AdmissionOptions): Admission {
  const room = capacity(options.engine);
  const budgets = budgetLooks(options);
  return {
    inTurn: room.inTurn,
    room: room.look,
    isWithin: room.isWithin,
    look: async (rows) => {
      const [free, budget] = [await room.look(), await budgets(rows)];
      return { refused: (row) => refusedBy(free, budget, row) };
    },
  };
}

/** The budget is asked before the slot: who may not spend takes no place in a queue. */
async function refusedBy(
  free: Capacity,
  budget: BudgetLook | string | null,
  { role, run }: ExecutionRow,
): Promise<Refused | null> {
  if (role === 'execute' && typeof budget === 'string') {
    return { why: 'budgets_unknown', detail: `budgets unknown: ${budget}` };
  }
  const isBraked = role === 'execute' && budget !== null && typeof budget !== 'string';
  const over = isBraked ? budget.over(run) : null;
  if (over !== null) return { why: 'budget_spent', over };
  if (!takesSlot({ role }) || (await free.take(run))) return null;
  return { why: 'no_slot', detail: await free.describe(run) };
}

/** Null when nothing is braked over runs; a text when nobody can tell what is. */
function budgetLooks({ engine, budgets: source, log }: AdmissionOptions) {
  const budgets = source === undefined ? null : sharedBudget(engine, source);
  return async (rows: readonly ExecutionRow[]): Promise<BudgetLook | string | null> => {
    if (budgets === null || !rows.some(({ role }) => role === 'execute')) return null;
    try {
      return await budgets.look();
    } catch (error: unknown) {
      if (!(error instanceof ProductError) || error.retryable) throw error;
      log(`budgets: ${error.message}`);
      return error.message;
    }
  };
}
