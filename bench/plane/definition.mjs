/** As a run has them that says nothing of its own. */
export const brakes = {
  attempts: 3,
  costUsd: null,
  tokens: null,
  steps: null,
  timeMs: 28_800_000,
  attemptTimeMs: 5_400_000,
  waitTimeMs: 43_200_000,
  errorSignals: 3,
};

/** What the runs of the bench are asked; nothing of it is ever executed. */
export const definition = (name) => ({
  version: 1,
  intent: {
    originalIntent: 'be measured',
    inferredGoal: null,
    addedContext: [],
    verificationPlan: 'the tests pass',
  },
  name,
  project: { root: '/bench', name: 'bench', kind: 'user', cwd: '' },
  source: {
    isolation: 'worktree',
    base: '0'.repeat(40),
    baseBranch: 'main',
    includeChanges: false,
  },
  strategy: 'attempts',
  roles: {
    execute: { agent: 'command', command: ['true'], model: null, args: [], profile: 'fixer' },
    verify: { agent: 'command', command: ['true'], model: null, args: [], profile: 'oracle' },
  },
  criteria: [
    {
      kind: 'test',
      command: 'true',
      expectExit: 0,
      testsRunMoreThan: 0,
      redFirst: false,
      timeoutMs: 60_000,
    },
  ],
  baseline: 'auto',
  allowNoChange: false,
  protected: [],
  onProtected: 'park',
  fileScope: [],
  brakes,
  workspace: { setup: null, copy: [], submodules: 'auto' },
  verifyTree: 'clean',
  permissions: 'workspace',
  onLimit: 'wait',
  env: { allow: [], set: {} },
  secrets: {},
  context: [],
  approvals: { expireMs: null },
  recovery: { requeues: 2, transfers: 3 },
  concurrency: { group: 'bench', max: 10_000 },
  land: { method: 'squash', reverify: false },
  nestedRuns: 0,
  keepAwake: false,
});

/** Who types `pawl run`. */
export const human = { kind: 'human', actor: 'bench', channel: 'terminal', ancestry: 'clean' };
