/**
 * What a verdict leads to (DESIGN §4.1, "verifying"). Never a truth value: six outcomes, and only a
 * typed pass over a recorded commit that differs from the base completes (R1). Outcomes that prove
 * nothing spend no attempt; the parser has one retry and then fails closed (EV-50, ruling 5).
 */
import type { JobResult, VerdictFacts } from '../execution/state.ts';
import type { Commit } from '../ids.ts';
import { type Content, complete, failAttempt } from './attempt.ts';
import { add, type Draft } from './draft.ts';
import { dryFacts, rehearsed } from './dry-run.ts';
import { park } from './park.ts';
import { namePaths, uncovered } from './paths.ts';
import { proceed, retryAt, returnTo, wait } from './proceed.ts';
import type { ParkReason, ResumePoint, RunFacts, Stage } from './state.ts';

export type Verifying = Extract<Stage, { phase: 'verifying' }>;
type Verified = Extract<JobResult, { kind: 'verified' }>;
type VerifyPoint = Extract<ResumePoint, { job: 'verify' }>;

export const changedNothing = 'the agent changed nothing';
export const unparseable = 'Verification output unparseable after retry';
/** Verifications of one step whose outcome may prove nothing before the run is parked. */
export const triesMax = 3;
const parseRetriesMax = 1;

export function verified(draft: Draft, stage: Verifying, { verdict, facts }: Verified): Draft {
  const { run } = draft;
  const isJudge = run.terms.steps[stage.step]?.kind === 'judge';
  const isDry = run.terms.dryRun === true;
  const believed = isDry ? dryFacts(facts) : { ...facts, outcome: believable(run, stage, facts) };
  const moved = movedTo(run, stage, facts);
  const recorded = add(draft, {
    type: 'verification.recorded',
    attempt: run.attempt,
    step: stage.step,
    execution: stage.execution,
    facts: believed,
    verdict,
    by: isJudge ? (run.terms.checker ?? 'judge') : 'runtime',
    ...(moved === null ? {} : { head: moved }),
  });
  if (isDry) return rehearsed(recorded, believed);
  return follow(recorded, moved === null ? stage : at(stage, moved), believed);
}

/**
 * Where paths went back to base, the runtime's verifier recorded the work anew: that commit is the
 * work. A judge is a lane: what he names moves nothing.
 */
function movedTo(run: RunFacts, stage: Verifying, facts: VerdictFacts): Commit | null {
  const { commit, point } = stage;
  if (run.terms.steps[stage.step]?.kind !== 'checks') return null;
  const restores = point.restore === true || run.terms.onProtected === 'restore';
  if (!restores || commit === null || facts.commit === commit) return null;
  return facts.commit;
}

const at = (stage: Verifying, commit: Commit): Verifying => ({
  ...stage,
  commit,
  point: { ...stage.point, commit },
});

/** A pass is taken for one only where it may be; a commit that was not asked for proves nothing. */
function believable(run: RunFacts, stage: Verifying, facts: VerdictFacts): VerdictFacts['outcome'] {
  if (facts.outcome !== 'passed') return facts.outcome;
  if (facts.flaky || !isAsked(run, stage, facts)) return 'indeterminate';
  return equalsBase(run, stage, facts) ? 'missing_evidence' : 'passed';
}

/** Where nothing was recorded the base is what was asked about, and only the verifier names it. */
function isAsked(run: RunFacts, stage: Verifying, facts: VerdictFacts): boolean {
  const { commit } = stage;
  if (commit === null) return facts.commit === null || run.terms.git;
  return facts.commit === commit || movedTo(run, stage, facts) !== null;
}

/** With git, work that has no commit is the base itself. */
function equalsBase(run: RunFacts, { commit }: Verifying, facts: VerdictFacts): boolean {
  if (run.terms.allowNoChange) return false;
  return facts.equalsBase === true || (run.terms.git && commit === null);
}

function follow(draft: Draft, stage: Verifying, facts: VerdictFacts): Draft {
  const { back } = stage.point;
  const { outcome } = facts;
  switch (outcome) {
    case 'passed':
      return passed(draft, stage, facts);
    case 'failed':
      return failAttempt(draft, contentOf(facts), { back });
    case 'unparseable':
      return parseAgain(draft, stage);
    case 'missing_evidence':
      if (!equalsBase(draft.run, stage, facts))
        return tryAgain(draft, stage, { outcome, detail: facts.summary });
      return failAttempt(draft, { ...contentOf(facts), summary: changedNothing }, { back });
    case 'verifier_unavailable':
    case 'indeterminate':
      return tryAgain(draft, stage, { outcome, detail: facts.summary });
  }
}

/**
 * A check that the work itself changed proves what its author wants: a human says whether it may.
 */
function passed(draft: Draft, stage: Verifying, facts: VerdictFacts): Draft {
  const changed = uncovered(facts.checkChanged ?? [], draft.run.allowedPaths);
  if (changed.length === 0) {
    const pass = { ...contentOf(facts), by: 'runtime', channel: 'driver' } as const;
    return stepPassed(draft, stage.point, pass);
  }
  const detail = `the checks pass, but the work changed what they run: ${namePaths(changed, 0)}`;
  const { point: then } = stage;
  return park(draft, 'protected_changed', { detail, paths: changed, then });
}

const contentOf = ({ summary, receipt, failedTests, score }: VerdictFacts): Content => ({
  summary,
  receipt,
  failedTests,
  score,
});

/** The next step in order, or, after the last one, the end of the run: it beats every budget. */
export function stepPassed(
  draft: Draft,
  point: VerifyPoint,
  pass: Content & { readonly by: string; readonly channel: string },
): Draft {
  const step = point.step + 1;
  if (step < draft.run.terms.steps.length) {
    return proceed(draft, { ...point, step }, { why: 'next' });
  }
  return complete(draft, { ...pass, verification: 'passed', note: pass.summary });
}

/**
 * One retry of the same step, then failed: an answer that cannot be read is not a pass (EV-26,
 * EV-50).
 */
export function parseAgain(draft: Draft, stage: Verifying): Draft {
  const { point, tries, parseRetries } = stage;
  if (parseRetries < parseRetriesMax) {
    return proceed(draft, point, { why: 'retried', tries, parseRetries: parseRetries + 1 });
  }
  const content = { summary: unparseable, receipt: null, failedTests: null, score: null };
  return failAttempt(draft, content, { back: point.back });
}

interface Inconclusive {
  readonly outcome: Extract<
    ParkReason,
    'missing_evidence' | 'verifier_unavailable' | 'indeterminate'
  >;
  readonly detail: string;
}

/** Three verifications in all, with back-off between them and no attempt spent; then parked. */
function tryAgain(draft: Draft, stage: Verifying, { outcome, detail }: Inconclusive): Draft {
  const { point: then, parseRetries } = stage;
  const tries = stage.tries + 1;
  if (tries < triesMax) {
    const until = retryAt(draft, tries);
    return wait(draft, { reason: 'backoff', until, then, detail, tries, parseRetries });
  }
  if (then.back !== undefined) return returnTo(draft, then.back);
  return park(draft, outcome, { detail, then });
}
