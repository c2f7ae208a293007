/**
 * What counts where nothing else says a word, in the form of the file: what `config show` prints as
 * `default` and what the JSON Schema names. A test holds it to what `define` makes of nothing.
 */
import { protectedDefaults } from './define.ts';
import type { DefinitionFile } from './definition-file.ts';
import { livenessFileDefaults } from './liveness.ts';
import { recoveryFileDefaults } from './recovery-file.ts';

export const fileDefaults: DefinitionFile = {
  version: 1,
  context: [],
  strategy: 'attempts',
  labels: [],
  roles: { execute: { profile: 'fixer', login: 'user', labels: [], args: [] } },
  baseline: 'auto',
  allowNoChange: false,
  protected: [...protectedDefaults],
  onProtected: 'park',
  fileScope: [],
  brakes: {
    attempts: 5,
    cost: null,
    tokens: null,
    steps: null,
    time: '8h',
    attemptTime: '90m',
    waitTime: '12h',
    errorSignals: 3,
  },
  workspace: { isolation: 'worktree', copy: [], submodules: 'auto' },
  verify: { tree: 'clean', on: 'any' },
  permissions: 'trusted',
  onPermission: 'deny',
  onLimit: 'wait',
  models: 'auto',
  agentConfig: 'clean',
  env: { allow: [], set: {} },
  secrets: {},
  recovery: { ...recoveryFileDefaults },
  concurrency: { group: 'machine', max: 3 },
  land: { method: 'squash', reverify: true, when: 'asked' },
  nestedRuns: 0,
  keepAwake: true,
  liveness: { ...livenessFileDefaults },
  approvals: { expire: null },
};
