import { expect, test } from 'vitest';
import { terms } from '../../../test/support/run-fixtures.ts';
import { defaultBrakes } from '../brakes/defaults.ts';
import type { Brakes, Criterion, Definition, Role } from '../definition/definition.ts';
import type { Commit } from '../ids.ts';
import {
  brakesProblem,
  endless,
  identityOf,
  noCouncil,
  runTerms,
  sameAgent,
  termsProblem,
  verificationSteps,
} from './terms.ts';

const test1: Criterion = {
  kind: 'test',
  command: 'npm test',
  expectExit: 0,
  testsRunMoreThan: null,
  redFirst: false,
  timeoutMs: 10,
};
const file: Criterion = { kind: 'fileExists', path: 'a', timeoutMs: 1 };
const oracle: Criterion = { kind: 'oracle', question: 'ok?', timeoutMs: 100 };
const observer: Criterion = { kind: 'observer', question: 'ok?', timeoutMs: 100 };
const look: Criterion = { kind: 'manual', look: 'look', timeoutMs: 0 };
const fixer: Role = { profile: 'fixer', agent: 'demo', command: null, model: null, args: [] };
const judge: Role = { ...fixer, profile: 'oracle', model: 'large' };

const definition = (more: Partial<Definition> = {}): Definition => ({
  version: 1,
  intent: { originalIntent: 'fix', inferredGoal: null, addedContext: [], verificationPlan: '' },
  name: 'fix',
  project: { root: '/p', name: 'p', kind: 'user', cwd: '' },
  source: {
    isolation: 'worktree',
    base: 'c0' as Commit,
    baseBranch: 'main',
    includeChanges: false,
  },
  strategy: 'attempts',
  roles: { execute: fixer, verify: null },
  criteria: [test1],
  baseline: 'auto',
  allowNoChange: false,
  protected: [],
  onProtected: 'park',
  fileScope: [],
  brakes: defaultBrakes,
  workspace: { setup: null, copy: [], submodules: 'auto' },
  verifyTree: 'clean',
  permissions: 'workspace',
  onLimit: 'wait',
  env: { allow: [], set: {} },
  secrets: {},
  context: [],
  approvals: { expireMs: null },
  recovery: { requeues: 2, transfers: 3 },
  concurrency: { group: 'p', max: 3 },
  land: { method: 'squash', reverify: true },
  nestedRuns: 0,
  keepAwake: true,
  ...more,
});

test('criteria keep their order; neighbours that the runtime runs are one step (EV-17, EV-69)', () => {
  expect(verificationSteps([test1, file, oracle, test1, observer, look])).toEqual([
    { kind: 'checks', from: 0, to: 1 },
    { kind: 'judge', criterion: 2 },
    { kind: 'checks', from: 3, to: 3 },
    { kind: 'judge', criterion: 4 },
    { kind: 'manual', criterion: 5, look: 'look' },
  ]);
});

test('identities name profile, agent and model (ruling 4)', () => {
  expect(identityOf(fixer)).toBe('fixer@demo');
  expect(identityOf(judge)).toBe('oracle@demo:large');
});

test('a definition becomes the terms of its run', () => {
  const setup = { command: 'npm ci', timeoutMs: 1_000 };
  const workspace = { setup, copy: [], submodules: 'auto' } as const;
  const roles = { execute: fixer, verify: judge };
  const made = runTerms(definition({ roles, workspace, criteria: [test1, oracle] }), {
    detached: true,
  });
  expect(made).toMatchObject({
    ok: true,
    value: {
      maker: 'fixer@demo',
      checker: 'oracle@demo:large',
      checkTimeMs: 2_220,
      git: true,
      detached: true,
    },
  });
  const source = {
    isolation: 'none',
    base: null,
    baseBranch: null,
    includeChanges: false,
  } as const;
  expect(runTerms(definition({ source }), { detached: false })).toMatchObject({
    value: { git: false, checker: null, checkTimeMs: 20 },
  });
  // In a repository's own folder nothing is committed either.
  const own = { ...source, base: 'b'.repeat(40) as Commit, baseBranch: 'main' };
  expect(runTerms(definition({ source: own }), { detached: false })).toMatchObject({
    value: { git: false },
  });
});

test('maker and checker differ, in the words of EV-32 (ruling 4)', () => {
  const twice = { execute: fixer, verify: { ...fixer, agent: 'other' } };
  expect(runTerms(definition({ roles: twice }), { detached: true })).toEqual({
    ok: false,
    error: {
      code: 'terms.invalid',
      detail: 'executeAgent and verifyAgent must be different agents',
    },
  });
  expect(sameAgent).toBe('executeAgent and verifyAgent must be different agents');
});

test('a council is no part of a run, whoever made the definition (EV-7)', () => {
  for (const roles of [
    { execute: fixer, verify: { ...fixer, profile: 'council' } },
    { execute: { ...fixer, profile: 'council' }, verify: null },
  ]) {
    expect(runTerms(definition({ roles }), { detached: true })).toEqual({
      ok: false,
      error: { code: 'terms.invalid', detail: noCouncil },
    });
  }
});

test('a judge needs a role, and a run a criterion', () => {
  const refused = (more: Partial<Definition>) => runTerms(definition(more), { detached: true });
  expect(refused({ criteria: [oracle] })).toMatchObject({ error: { detail: /roles\.verify/ } });
  expect(refused({ criteria: [] })).toMatchObject({ error: { detail: 'a run needs a criterion' } });
  expect(termsProblem(terms)).toBeNull();
});

test('a run has a finite brake, and every figure is one (UX 4.4-8)', () => {
  const problem = (more: Partial<Brakes>) => brakesProblem({ ...defaultBrakes, ...more });
  expect(problem({ attempts: null, costUsd: null, timeMs: null })).toBe(endless);
  expect(problem({ attempts: null, costUsd: null })).toBeNull();
  expect(problem({ costUsd: null, timeMs: null, tokens: 5, steps: 5, waitTimeMs: 0 })).toBeNull();
  for (const attempts of [0, 101, 1.5, Number.NaN])
    expect(problem({ attempts })).toBe('attempts is 1–100');
  expect(problem({ timeMs: 0 })).toMatch(/^time/);
  expect(problem({ timeMs: 8 * 86_400_000 })).toMatch(/^time/);
  expect(problem({ costUsd: Number.POSITIVE_INFINITY })).toMatch(/^cost/);
  expect(problem({ tokens: -1 })).toMatch(/^tokens/);
  expect(problem({ steps: 0 })).toMatch(/^steps/);
  expect(problem({ attemptTimeMs: 0 })).toMatch(/^attemptTime/);
  expect(problem({ waitTimeMs: -1 })).toMatch(/^waitTime/);
  expect(problem({ errorSignals: 0.5 })).toMatch(/^errorSignals/);
});
