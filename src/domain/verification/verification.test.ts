import { expect, test } from 'vitest';
import { at } from '../../../test/support/run-fixtures.ts';
import type { AttemptSummary } from '../run/state.ts';
import type { CriterionResult } from '../verdict/verdict.ts';
import { aggregate, ranMoreThan } from './aggregate.ts';
import { bestAttempt } from './best.ts';

const result = (index: number, more: Partial<CriterionResult> = {}): CriterionResult => ({
  index,
  kind: 'test',
  what: 'npm test',
  outcome: 'passed',
  score: null,
  reasons: [],
  suggestedFix: null,
  exit: 0,
  counts: null,
  durationMs: 1,
  executions: 1,
  flaky: false,
  output: null,
  ...more,
});

test('all must pass; the first in order that does not is the outcome (XP-27, EV-69)', () => {
  expect(aggregate([result(0), result(1)]).outcome).toBe('passed');
  const late = result(1, { outcome: 'failed', reasons: ['b'] });
  const early = result(0, { outcome: 'verifier_unavailable', reasons: ['a'] });
  expect(aggregate([late, early])).toMatchObject({
    outcome: 'verifier_unavailable',
    reasons: ['a', 'b'],
  });
});

test('nothing that was checked is no evidence', () =>
  expect(aggregate([])).toMatchObject({
    outcome: 'missing_evidence',
    score: null,
    failedTests: null,
  }));

test('failed and then passed on the same commit is flaky, and no pass', () =>
  expect(aggregate([result(0, { flaky: true })])).toMatchObject({
    outcome: 'indeterminate',
    flaky: true,
  }));

test('scores and counts are of what was measured (EV-54)', () => {
  const counted = (passed: number | null, failed: number | null) => ({
    passed,
    failed,
    skipped: null,
  });
  const results = [
    result(0, { score: 0.5, counts: counted(2, 1) }),
    result(1, { score: Number.NaN, counts: counted(null, 3) }),
    result(2, { score: 1 }),
  ];
  expect(aggregate(results)).toMatchObject({ score: 0.75, failedTests: 4, passedTests: 2 });
});

test('a rule on tests run is not met by what the runner did not say', () => {
  expect(ranMoreThan(null, 0)).toBe(false);
  expect(ranMoreThan({ passed: null, failed: null, skipped: 3 }, 0)).toBe(false);
  expect(ranMoreThan({ passed: null, failed: 1, skipped: 0 }, 0)).toBe(true);
  expect(ranMoreThan({ passed: 1, failed: null, skipped: 0 }, 1)).toBe(false);
});

const attempt = (n: number, more: Partial<AttemptSummary> = {}): AttemptSummary => ({
  n,
  outcome: 'failed',
  summary: '',
  commit: 'c' as never,
  receipt: null,
  failedTests: null,
  score: null,
  endedAt: at(0),
  ...more,
});

test('an attempt without recorded work is never the best: nobody could go on from it', () => {
  expect(bestAttempt([attempt(1, { commit: null })])).toBeNull();
  expect(bestAttempt([attempt(1, { failedTests: 9 }), attempt(2, { commit: null })])).toBe(1);
});

test('the best attempt passes, else scores highest, else fails fewest, else is the latest', () => {
  expect(bestAttempt([])).toBeNull();
  expect(bestAttempt([attempt(1), attempt(2)])).toBe(2);
  expect(
    bestAttempt([attempt(1, { failedTests: 3 }), attempt(2, { failedTests: 9 }), attempt(3)]),
  ).toBe(1);
  expect(
    bestAttempt([
      attempt(1, { score: 0.9, failedTests: 9 }),
      attempt(2, { score: 0.1, failedTests: 1 }),
    ]),
  ).toBe(1);
  expect(bestAttempt([attempt(1, { outcome: 'passed' }), attempt(2, { score: 1 })])).toBe(1);
  expect(bestAttempt([attempt(1), attempt(2, { outcome: 'overridden' }), attempt(3)])).toBe(2);
});
