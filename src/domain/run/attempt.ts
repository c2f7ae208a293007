/**
 * How an attempt ends: by content alone (R3). Passed, it ends the run; failed, it asks the brakes.
 */
import { invariant } from '../../kernel/invariant.ts';
import { clipLine } from '../../kernel/text.ts';
import type { Digest } from '../ids.ts';
import { hasConvergenceSignals } from '../signals/signals.ts';
import { add, type Draft } from './draft.ts';
import { attemptIsOpen } from './facts.ts';
import { park } from './park.ts';
import { brake, proceed, returnTo } from './proceed.ts';
import type { AttemptSummary, Back, ResumePoint } from './state.ts';

/** What is known of the content when an attempt ends. */
export interface Content {
  readonly summary: string;
  readonly receipt: Digest | null;
  readonly failedTests: number | null;
  readonly score: number | null;
}

export const unmeasured = { receipt: null, failedTests: null, score: null } as const;

/** The agent is told once; what it leaves again that nobody can carry is for its operator. */
const uncarriedMax = 2;

/**
 * A failed verification: pass beats everything, so this is asked only without one; then budget,
 * then the cap, then the signals, in that order (DESIGN §4.4). A verification that a human asked
 * for ends no attempt: the run returns to where it was.
 */
export function failAttempt(
  draft: Draft,
  content: Content,
  more: { readonly back?: Back | undefined; readonly restore?: true } = {},
): Draft {
  if (more.back !== undefined) return returnTo(draft, more.back);
  const ended = add(draft, { type: 'attempt.ended', attempt: summaryOf(draft, content, 'failed') });
  const { run, at } = ended;
  const then: ResumePoint = {
    job: 'execute',
    session: 'fresh',
    tree: 'same',
    commit: run.head,
    ...(more.restore === undefined ? {} : { restore: more.restore }),
  };
  const reason = brake(run, at);
  if (reason !== null) return park(ended, reason, { detail: content.summary, then });
  if ((run.counters.uncarried ?? 0) >= uncarriedMax) {
    const parking = { detail: content.summary, then, class: 'invalid_result' } as const;
    return park(ended, 'convergence_signals', parking);
  }
  if (!hasConvergenceSignals(run.counters, run.terms.brakes.errorSignals)) {
    return proceed(ended, then, { why: 'next' });
  }
  const { unhealedErrors, timeouts } = run.counters;
  const detail = `${unhealedErrors} errors not recovered from, ${timeouts} time-outs in a row`;
  return park(ended, 'convergence_signals', { detail, then });
}

export interface Pass extends Content {
  readonly verification: 'passed' | 'overridden';
  readonly by: string;
  readonly channel: string;
  readonly note: string;
}

/**
 * Ends the run. An attempt that had ended before (a verification asked for later) is not ended
 * twice.
 */
export function complete(draft: Draft, pass: Pass): Draft {
  invariant(draft.run.terms.dryRun !== true, 'a dry run is never complete (R10)');
  const { verification, by, channel, note } = pass;
  const receipt = pass.receipt ?? draft.run.lastReceipt;
  const attempt = summaryOf(draft, { ...pass, receipt }, verification);
  const ended = attemptIsOpen(draft.run) ? add(draft, { type: 'attempt.ended', attempt }) : draft;
  return add(ended, { type: 'run.completed', verification, receipt, by, channel, note });
}

function summaryOf(
  { run, at }: Draft,
  { summary, receipt, failedTests, score }: Content,
  outcome: AttemptSummary['outcome'],
): AttemptSummary {
  const measured = { receipt, failedTests, score };
  const text = clipLine(summary, 200);
  const told = { n: run.attempt, outcome, summary: text, commit: run.head, ...measured };
  return { ...told, endedAt: at, ...(run.refused === undefined ? {} : { refused: run.refused }) };
}
