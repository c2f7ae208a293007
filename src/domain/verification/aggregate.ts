/**
 * One verdict of many criteria. They run in order, cheapest first, and all must pass; the first
 * that does not is the outcome. A new type of criterion changes nothing here (EV-69).
 */
import type { CriterionResult, TestCounts, VerdictOutcome } from '../verdict/verdict.ts';

export interface Aggregate {
  readonly outcome: VerdictOutcome;
  /** Mean of what was measured, 0..1; null when nothing was. */
  readonly score: number | null;
  readonly failedTests: number | null;
  readonly passedTests: number | null;
  readonly flaky: boolean;
  readonly reasons: readonly string[];
}

const reasonsMax = 10;

export function aggregate(results: readonly CriterionResult[]): Aggregate {
  const inOrder = [...results].sort((a, b) => a.index - b.index);
  const counts = inOrder.flatMap((result) => (result.counts === null ? [] : [result.counts]));
  return {
    outcome: inOrder.map(outcomeOf).find((outcome) => outcome !== 'passed') ?? whole(inOrder),
    score: mean(inOrder.flatMap(({ score }) => (isMeasured(score) ? [score] : []))),
    failedTests: sum(counts, ({ failed }) => failed),
    passedTests: sum(counts, ({ passed }) => passed),
    flaky: inOrder.some(({ flaky }) => flaky),
    reasons: inOrder.flatMap(({ reasons }) => reasons).slice(0, reasonsMax),
  };
}

/** Failed, then passed on the same commit: it proves neither, and is never a pass. */
export function outcomeOf({ outcome, flaky }: CriterionResult): VerdictOutcome {
  return outcome === 'passed' && flaky ? 'indeterminate' : outcome;
}

/** No criterion at all is no evidence. */
const whole = (results: readonly CriterionResult[]): VerdictOutcome =>
  results.length === 0 ? 'missing_evidence' : 'passed';

function isMeasured(score: number | null): score is number {
  return score !== null && Number.isFinite(score);
}

function mean(scores: readonly number[]): number | null {
  if (scores.length === 0) return null;
  return scores.reduce((total, score) => total + score, 0) / scores.length;
}

function sum(
  counts: readonly TestCounts[],
  pick: (counts: TestCounts) => number | null,
): number | null {
  const known = counts.map(pick).filter((figure) => figure !== null);
  return known.length === 0 ? null : known.reduce((total, figure) => total + figure, 0);
}

/**
 * What a runner reported: what a parser rule `testsRun: ">n"` asks. Unknown counts prove nothing.
 */
export function ranMoreThan(counts: TestCounts | null, least: number): boolean {
  if (counts === null) return false;
  const { passed, failed } = counts;
  if (passed === null && failed === null) return false;
  return (passed ?? 0) + (failed ?? 0) > least;
}
