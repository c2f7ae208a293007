/**
 * A typed judgement by a separate identity (design/verification.md). Never a truth value: the
 * outcome is one of six words, and only `passed` may complete a run.
 */
import type { Commit, Digest, ExecutionId } from '../ids.ts';

export type VerdictOutcome =
  | 'passed'
  | 'failed'
  | 'missing_evidence'
  | 'verifier_unavailable'
  | 'unparseable'
  | 'indeterminate';

/** Counts of a runner's own report; null where the report does not say. */
export interface TestCounts {
  readonly passed: number | null;
  readonly failed: number | null;
  readonly skipped: number | null;
}

/** What one criterion said; bounded: at most 10 reasons of at most 500 characters. */
export interface CriterionResult {
  readonly index: number;
  readonly kind: string;
  readonly what: string;
  readonly outcome: VerdictOutcome;
  /** 0..1, null when it was not measured (flagged, and out of the plateau history). */
  readonly score: number | null;
  readonly reasons: readonly string[];
  readonly suggestedFix: string | null;
  readonly exit: number | null;
  readonly counts: TestCounts | null;
  readonly durationMs: number;
  readonly executions: number;
  readonly flaky: boolean;
  /** The bounded output of the check. */
  readonly output: Digest | null;
}

/** The result of one verification: the facts a verifier hands in. The full text is the receipt. */
export interface Verdict {
  readonly outcome: VerdictOutcome;
  readonly commit: Commit | null;
  readonly verifier: ExecutionId;
  readonly verifierIdentity: string;
  readonly criteria: readonly CriterionResult[];
  /** Scripts that the checks run and that the work changed; absent means none. */
  readonly checkChanged?: readonly string[];
  /** The signed receipt (DSSE over in-toto Statement v1). */
  readonly receipt: Digest | null;
  /** One sentence for people, at most 200 characters. */
  readonly summary: string;
}
