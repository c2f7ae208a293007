/** Budgets over runs from the user's config.yaml; read again when the file has changed. */
import { readFile, stat } from 'node:fs/promises';
import type { BudgetsValue } from '../contract/budgets.ts';
import { ConfigError, RequestError } from '../kernel/errors.ts';
import type { BudgetSource } from '../ports/budgets.ts';
import type { Instant } from '../ports/words.ts';
import type { Surroundings } from './surroundings.ts';

const none: BudgetsValue = { day: null, project: null };

export function fileBudgets({
  userConfigPath,
}: Pick<Surroundings, 'userConfigPath'>): BudgetSource {
  let known: { readonly stamp: string; readonly budgets: BudgetsValue } | null = null;
  return {
    read: async () => {
      const stamp = await stampOf(userConfigPath);
      if (stamp === null) return none;
      if (known?.stamp === stamp) return known.budgets;
      const text = await orProblem(userConfigPath, readFile(userConfigPath, 'utf8'));
      const { budgetsOf } = await import('../contract/budgets.ts');
      const budgets = text === null ? none : budgetsOf(userConfigPath, text);
      known = { stamp, budgets };
      return budgets;
    },
    dayOf: (at) => {
      const begun = new Date(at);
      const [year, month, day] = [begun.getFullYear(), begun.getMonth(), begun.getDate()];
      const from = new Date(year, month, day).getTime() as Instant;
      return { from, until: new Date(year, month, day + 1).getTime() as Instant };
    },
  };
}

/** Null: there is no such file, so no budget. */
async function stampOf(path: string): Promise<string | null> {
  const facts = await orProblem(path, stat(path));
  return facts === null ? null : `${facts.mtimeMs} ${facts.size} ${facts.ino}`;
}

/** Null when there is none; a file that cannot be read may hold a brake, so that is a problem. */
async function orProblem<T>(path: string, reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error: unknown) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    const what = new RequestError('bad_value', `the file cannot be read: ${code}`, { where: path });
    throw new ConfigError([what]);
  }
}
