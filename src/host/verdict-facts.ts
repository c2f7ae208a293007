import type { VerdictFacts } from '../domain/execution/state.ts';
import type { TestCounts, Verdict } from '../domain/verdict/verdict.ts';

const pathsMax = 20;

/** The part of a verdict that decides; a number is null when no criterion measured it. */
export function verdictFacts(verdict: Verdict): VerdictFacts {
  const { outcome, summary, receipt, commit, criteria, checkChanged = [] } = verdict;
  const scores = criteria.flatMap(({ score }) => (score === null ? [] : [score]));
  const counted = (name: keyof TestCounts) => {
    const counts = criteria.flatMap((result) => result.counts?.[name] ?? []);
    return counts.length === 0 ? null : counts.reduce((sum, count) => sum + count, 0);
  };
  return {
    outcome,
    summary: [...summary].slice(0, 200).join(''),
    receipt,
    commit,
    // The weakest criterion is how far the work has come: all must pass.
    score: scores.length === 0 ? null : Math.min(...scores),
    failedTests: counted('failed'),
    passedTests: counted('passed'),
    flaky: criteria.some(({ flaky }) => flaky),
    ...(checkChanged.length === 0 ? {} : { checkChanged: checkChanged.slice(0, pathsMax) }),
  };
}
