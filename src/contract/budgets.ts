/** The budgets over runs, which the user's config.yaml alone can set (UX 4, 4.3). */
import { ConfigError } from '../kernel/errors.ts';
import { parseDuration } from './duration.ts';
import { readLayer } from './layer.ts';

export interface BudgetLimitsValue {
  readonly costUsd: number | null;
  readonly tokens: number | null;
  readonly timeMs: number | null;
}
export interface BudgetsValue {
  readonly day: BudgetLimitsValue | null;
  readonly project: BudgetLimitsValue | null;
}

/** @throws ConfigError with every problem of the file: a brake that cannot be read is not none. */
export function budgetsOf(name: string, text: string): BudgetsValue {
  const reading = readLayer(name, text, 'user');
  if (!reading.ok) throw new ConfigError(reading.problems);
  const { day, project } = reading.layer.value.budgets ?? {};
  return { day: limitsOf(day), project: limitsOf(project) };
}

type Written = {
  cost?: number | undefined;
  tokens?: number | undefined;
  time?: string | undefined;
};

function limitsOf(written: Written | undefined): BudgetLimitsValue | null {
  if (written === undefined) return null;
  const { cost = null, tokens = null, time } = written;
  return { costUsd: cost, tokens, timeMs: time === undefined ? null : parseDuration(time) };
}
