import { expect, test } from 'vitest';
import type { CriterionResult } from '../domain/verdict/verdict.ts';
import { baselineSummary, receiptLine, resultLine, verdictSummary } from './summary.ts';

const result = (changes: Partial<CriterionResult>): CriterionResult => ({
  index: 0,
  kind: 'test',
  what: 'npm test',
  outcome: 'passed',
  score: 1,
  reasons: [],
  suggestedFix: null,
  exit: 0,
  counts: { passed: 120, failed: 0, skipped: null },
  durationMs: 13_800,
  executions: 1,
  flaky: false,
  output: null,
  ...changes,
});
const bad = result({
  outcome: 'failed',
  exit: 1,
  counts: { passed: 118, failed: 2, skipped: 1 },
});
const lint = result({ what: 'npm run lint', counts: null, durationMs: 4_000 });

test('lines read as in the handbook (UX 1.1, 1.4, 3.3)', () => {
  expect(resultLine(result({}))).toBe('npm test exit 0 · 120 passed');
  expect(resultLine(bad)).toBe('npm test exit 1 · 2 failed, 118 passed, 1 skipped');
  expect(verdictSummary([lint, bad])).toBe('npm test exit 1 · 2 failed, 118 passed, 1 skipped');
  expect(verdictSummary([lint, result({})])).toBe(
    'npm run lint exit 0 · npm test exit 0 · 120 passed',
  );
  expect(baselineSummary([lint, bad])).toBe('npm test fails (2 failed, 118 passed, 1 skipped)');
  expect(receiptLine(lint, null)).toBe('npm run lint · exit 0 · 4.0s');
  expect(receiptLine(result({}), { passed: 118, failed: 2, skipped: null })).toBe(
    'npm test · exit 0 · 120 passed, 0 failed (baseline 118, 2 failed) · 13.8s',
  );
});

test('a summary is one line of at most 200 characters, whatever the command is', () => {
  const long = result({ what: `echo ${'x\n'.repeat(500)}`, counts: null });
  const summary = verdictSummary([long, long, long, long]);
  expect(summary.length).toBeLessThanOrEqual(200);
  expect(summary).not.toContain('\n');
});
