/** What the runs of a simulated world are asked; every seed draws its own policies. */
import type { Criterion, Definition } from '../../src/domain/definition/definition.ts';
import type { Commit } from '../../src/domain/ids.ts';
import type { Random } from './random.ts';

const test: Criterion = {
  kind: 'test',
  command: 'npm test',
  expectExit: 0,
  testsRunMoreThan: 0,
  redFirst: false,
  timeoutMs: 600_000,
};
const judge: Criterion = { kind: 'oracle', question: 'is it good?', timeoutMs: 600_000 };
const manual: Criterion = { kind: 'manual', look: 'the page', timeoutMs: 0 };

export function simDefinition(random: Random, index: number): Definition {
  const criteria = random.pick<readonly Criterion[]>([
    [test],
    [test],
    [test, manual],
    [test, judge],
    [test, test, judge, manual],
  ]);
  const command = ['agent'];
  const role = { agent: 'command', command, model: null, args: [] };
  return {
    version: 1,
    intent: {
      originalIntent: `goal ${index}`,
      inferredGoal: null,
      addedContext: [],
      verificationPlan: 'the tests pass',
    },
    name: `goal-${index}`,
    project: { root: '/sim', name: 'sim', kind: 'user', cwd: '' },
    source: {
      isolation: 'worktree',
      base: '0'.repeat(40) as Commit,
      baseBranch: 'main',
      includeChanges: false,
    },
    strategy: 'attempts',
    roles: { execute: { ...role, profile: 'fixer' }, verify: { ...role, profile: 'oracle' } },
    criteria,
    baseline: random.pick(['auto', 'auto', 'green-ok', 'skip']),
    allowNoChange: random.chance(0.1),
    protected: [],
    onProtected: random.pick(['park', 'ask', 'restore']),
    fileScope: [],
    brakes: {
      attempts: random.between(1, 6),
      costUsd: random.chance(0.5) ? random.between(1, 5) : null,
      tokens: random.chance(0.2) ? 5_000 : null,
      steps: null,
      timeMs: random.between(600_000, 8 * 3_600_000),
      attemptTimeMs: random.between(300_000, 5_400_000),
      waitTimeMs: random.between(0, 12 * 3_600_000),
      errorSignals: 3,
    },
    workspace: { setup: null, copy: [], submodules: 'auto' },
    verifyTree: 'clean',
    permissions: 'workspace',
    onLimit: random.pick(['wait', 'wait', 'stop', 'ask']),
    env: { allow: [], set: {} },
    secrets: {},
    context: [],
    approvals: { expireMs: random.chance(0.3) ? 3_600_000 : null },
    recovery: { requeues: 2, transfers: 3 },
    concurrency: { group: 'sim', max: random.between(1, 3) },
    land: { method: 'squash', reverify: false },
    nestedRuns: 0,
    keepAwake: false,
  };
}
