/** What an agent says of its own check, and of itself, is named and never taken as proof. */
import { expect, test } from 'vitest';
import {
  afterWith,
  executed,
  resume,
  sealed,
  verified,
  verifying,
  working,
} from '../../../test/support/run-fixtures.ts';
import { covers } from './paths.ts';

const changed = ['check.sh', 'package.json#scripts.test'];
const passed = verified({ checkChanged: changed });

test('a pass of a check that the work changed waits for a human, who is told what (L-A11)', () => {
  const parked = afterWith('needs_operator', ...verifying(), sealed(3, passed));
  expect(parked).toMatchObject({
    reason: 'protected_changed',
    detail:
      'the checks pass, but the work changed what they run: check.sh, package.json#scripts.test',
    paths: changed,
  });
  expect(parked.then).toMatchObject({ job: 'verify', step: 0 });
});

test('allowed, the same pass completes; an allowed part covers its own parts (L-A11)', () => {
  const allow = ['check.sh', 'package.json#scripts'];
  const steps = [...verifying(), sealed(3, passed), resume({ allow }), sealed(4, passed)];
  expect(afterWith('complete', ...steps).verification).toBe('passed');
});

test('a failing check that was changed asks nobody: the loop goes on (L-A11)', () => {
  const failing = verified({ outcome: 'failed', checkChanged: changed });
  expect(afterWith('active', ...verifying(), sealed(3, failing)).attempt).toBe(2);
});

test.each([
  ['package.json#scripts', 'package.json#scripts.test', true],
  ['package.json#scripts', 'package.json#scripts2', false],
  ['package.json', 'package.json#scripts.test', false],
  ['docs/', 'docs/a', true],
])('%s allows %s: %s', (pattern, path, is) => expect(covers(pattern, path)).toBe(is));

test('why a result is not valid is in the summary of its attempt', () => {
  const problem = 'the result file has unknown keys: verified';
  const result = executed({ outcome: 'invalid_result', problem });
  expect(afterWith('active', ...working(), sealed(2, result)).attempts).toMatchObject([
    { outcome: 'failed', summary: `the result of the agent is not valid: ${problem}` },
  ]);
});
