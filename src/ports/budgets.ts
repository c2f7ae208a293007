/** The budgets over runs of this user, and where a day begins for him. */
import type { SharedBudgets } from '../domain/budget/shared.ts';
import type { Instant } from '../domain/ids.ts';

export interface Day {
  readonly from: Instant;
  readonly until: Instant;
}

export interface BudgetSource {
  /**
   * As the user's configuration says now: a change counts at once. Both null when there is none.
   * @throws ProductError when it cannot be read or is not valid; then nothing may be started.
   */
  read(): Promise<SharedBudgets>;
  /** The local day that holds the instant. */
  dayOf(at: Instant): Day;
}
