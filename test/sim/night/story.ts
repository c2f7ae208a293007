/** What happens in the night: six runs in three projects, told turn by turn. */
import type { Criterion, Definition } from '../../../src/domain/definition/definition.ts';
import { plainDefinition } from '../bench-of-one.ts';

export const minute = 60_000;
export const hour = 60 * minute;

/** One turn of an agent, and what the checks say of what it left. */
export interface Turn {
  readonly minutes: number;
  readonly costUsd: number;
  readonly outcome?: 'turn_ended' | 'question' | 'limit';
  /** Of the tests that failed before; absent: it passes. */
  readonly failedTests?: number;
}

export interface Task {
  readonly name: string;
  readonly project: 'dates' | 'web' | 'api';
  readonly goal: string;
  readonly failedBefore: number;
  readonly look?: string;
  readonly isMetered: boolean;
  /** By attempt; what the last one says holds for all later ones. */
  readonly turns: readonly [Turn, ...Turn[]];
}

export const tasks: readonly Task[] = [
  {
    name: 'fix-date-parsing',
    project: 'dates',
    goal: 'make the failing date tests pass',
    failedBefore: 2,
    isMetered: true,
    turns: [
      { minutes: 12, costUsd: 0.61, failedTests: 1 },
      { minutes: 8, costUsd: 0.41 },
    ],
  },
  {
    name: 'upgrade-vite',
    project: 'web',
    goal: 'make all tests pass on vite 7',
    failedBefore: 41,
    isMetered: true,
    turns: [
      { minutes: 19, costUsd: 0.92, failedTests: 28 },
      { minutes: 22, costUsd: 1.1, failedTests: 12 },
      { minutes: 25, costUsd: 1.22, failedTests: 5 },
      { minutes: 31, costUsd: 1.4, failedTests: 3 },
      { minutes: 28, costUsd: 1.31, failedTests: 9 },
    ],
  },
  {
    name: 'i18n-settings',
    project: 'web',
    goal: 'translate the settings',
    failedBefore: 1,
    look: 'Look at /settings in German.',
    isMetered: true,
    turns: [{ minutes: 40, costUsd: 2.2 }],
  },
  {
    name: 'docs-links',
    project: 'web',
    goal: 'repair all links of the docs',
    failedBefore: 17,
    isMetered: false,
    turns: [
      { minutes: 60, costUsd: 0.9, failedTests: 11 },
      { minutes: 70, costUsd: 1.3, failedTests: 6 },
      { minutes: 400, costUsd: 1 },
    ],
  },
  {
    name: 'flaky-login-test',
    project: 'api',
    goal: 'find out why the login test is flaky',
    failedBefore: 1,
    isMetered: true,
    turns: [
      { minutes: 30, costUsd: 1.5, failedTests: 1 },
      { minutes: 10, costUsd: 0.3, outcome: 'limit' },
    ],
  },
  {
    name: 'add-csv-export',
    project: 'api',
    goal: 'export invoices as CSV',
    failedBefore: 3,
    isMetered: false,
    turns: [{ minutes: 25, costUsd: 1.04, outcome: 'question' }],
  },
];

export function turnOf({ turns }: Task, attempt: number): Turn {
  return turns[attempt - 1] ?? turns.at(-1) ?? turns[0];
}

export interface Place {
  readonly root: string;
  readonly base: string;
}

export function definitionFor(task: Task, { root, base }: Place): Definition {
  const check: Criterion = plainDefinition.criteria[0];
  const manual = task.look === undefined ? [] : [{ kind: 'manual', look: task.look, timeoutMs: 0 }];
  return {
    ...plainDefinition,
    name: task.name,
    intent: { ...plainDefinition.intent, originalIntent: task.goal },
    project: { root, name: task.project, kind: 'user', cwd: '' },
    source: { ...plainDefinition.source, base: base as never, baseBranch: 'main' },
    criteria: [check, ...(manual as Criterion[])],
    brakes: {
      attempts: 5,
      costUsd: task.isMetered ? 20 : null,
      tokens: null,
      steps: null,
      timeMs: 12 * hour,
      attemptTimeMs: 8 * hour,
      waitTimeMs: 12 * hour,
      errorSignals: 3,
    },
    concurrency: { group: task.project, max: 3 },
    land: { method: 'squash', reverify: true },
  };
}
