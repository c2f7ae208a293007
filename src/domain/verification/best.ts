/** Which attempt came nearest: what a resume from the best tree starts with (DESIGN §9). */
import type { AttemptSummary } from '../run/state.ts';

/**
 * The number of the best attempt; null when none that ended has recorded work, since nobody could
 * go on from it. Of equals, the later one.
 */
export function bestAttempt(attempts: readonly AttemptSummary[]): number | null {
  const recorded = attempts.filter(({ commit }) => commit !== null);
  const best = recorded.reduce<AttemptSummary | null>(
    (before, next) => (before === null || isAtLeastAsGood(next, before) ? next : before),
    null,
  );
  return best === null ? null : best.n;
}

/** A pass beats a score, a score beats a count of failures, and unmeasured comes last. */
function isAtLeastAsGood(next: AttemptSummary, before: AttemptSummary): boolean {
  const difference =
    rank(next.outcome !== 'failed' ? 1 : 0, before.outcome !== 'failed' ? 1 : 0) ||
    rank(next.score ?? -1, before.score ?? -1) ||
    rank(
      -(next.failedTests ?? Number.MAX_SAFE_INTEGER),
      -(before.failedTests ?? Number.MAX_SAFE_INTEGER),
    );
  return difference >= 0;
}

const rank = (next: number, before: number): number => next - before;
