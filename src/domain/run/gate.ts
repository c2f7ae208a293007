/**
 * What the outcome of a human gate leads to (EV-45, EV-65). Expiry and refusal both fail closed.
 */
import { invariant, unreachable } from '../../kernel/invariant.ts';
import { ok, type Result } from '../../kernel/result.ts';
import { type Approval, resolve } from '../approval/approval.ts';
import type { Instant } from '../ids.ts';
import { failAttempt, unmeasured } from './attempt.ts';
import { add, type Draft, draftOf } from './draft.ts';
import type { RunCommand, RunEvent, RunRejection } from './message.ts';
import { park } from './park.ts';
import { namePaths } from './paths.ts';
import { answered, answeredBy } from './permission.ts';
import { proceed, returnTo } from './proceed.ts';
import type { Gate, LivingRun, ResumePoint } from './state.ts';
import { stepPassed } from './verdict.ts';

type Decision = Result<readonly RunEvent[], RunRejection>;
type ResolveGate = Extract<RunCommand, { type: 'resolve_gate' }>;
type AtGate = Extract<LivingRun, { status: 'waiting_human' }>;
type Manual = Extract<Gate, { kind: 'manual' }>;
type Protected = Extract<Gate, { kind: 'protected' }>;

export function resolveGate(run: LivingRun, command: ResolveGate): Decision {
  const { approval, outcome, principal, note, summary } = command;
  const { actor: by, channel } = principal;
  const gate = run.status === 'waiting_human' && run.gate.approval === approval ? run.gate : null;
  const settled = resolve(known(run, gate), { approval, outcome, by });
  if (!settled.ok) return settled;
  invariant(gate !== null, 'an approval that is open has its gate');
  const closing = { approval, outcome, by, channel, note, summary };
  const draft = closeGate(draftOf(run, command.at), closing);
  return ok(followed(draft, gate, command).events);
}

function followed(draft: Draft, gate: Gate, command: ResolveGate): Draft {
  switch (gate.kind) {
    case 'manual':
      return judged(draft, gate, command);
    case 'protected':
      return permitted(draft, gate, command);
    case 'permission':
      return answeredBy(draft, gate, command);
    default:
      return unreachable(gate);
  }
}

/** The open approval, or the newest that was resolved. */
function known({ resolvedApproval }: LivingRun, gate: Gate | null): Approval | null {
  if (gate !== null) return { status: 'open', id: gate.approval };
  if (resolvedApproval === null) return null;
  const { approval: id, outcome, by } = resolvedApproval;
  return { status: 'resolved', id, outcome, by };
}

type Closing = Omit<Extract<RunEvent, { type: 'gate.resolved' }>, 'type' | 'at'>;

function closeGate(draft: Draft, closing: Closing): Draft {
  return add(draft, { type: 'gate.resolved', ...closing });
}

/** A human's look is a verification by a human: passed, or failed with his reasons. */
function judged(draft: Draft, gate: Manual, command: ResolveGate): Draft {
  const { step, commit } = gate;
  const { principal, outcome, summary, receipt = null } = command;
  const recorded = add(draft, {
    type: 'verification.recorded',
    attempt: draft.run.attempt,
    step,
    execution: null,
    facts: {
      outcome: outcome === 'approved' ? 'passed' : 'failed',
      summary,
      commit,
      ...unmeasured,
      receipt,
      passedTests: null,
      flaky: false,
    },
    verdict: null,
    by: principal.actor,
  });
  const content = { ...unmeasured, receipt, summary };
  if (outcome === 'rejected') return failAttempt(recorded, content, { back: gate.back });
  const { actor: by, channel } = principal;
  return stepPassed(recorded, verifyPoint(gate), { ...content, by, channel });
}

function verifyPoint({ commit, step, back }: Manual): Extract<ResumePoint, { job: 'verify' }> {
  return { job: 'verify', commit, step, ...(back === undefined ? {} : { back }) };
}

/**
 * Approved: exactly the named paths, from now on. Refused: they go back where that can be, and the
 * attempt is spent.
 */
function permitted(draft: Draft, gate: Protected, { outcome, summary }: ResolveGate): Draft {
  if (outcome === 'approved') return proceed(draft, afterProtected(gate), { why: 'next' });
  const names = namePaths(gate.paths, 0);
  const content = { ...unmeasured, summary: `protected files changed: ${names} (${summary})` };
  return failAttempt(draft, content, draft.run.terms.git ? { restore: true } : {});
}

const afterProtected = ({ commit }: Protected) => ({ job: 'verify', commit, step: 0 }) as const;

/**
 * Nobody answered in time. A lane's call is refused; anything else is asked again when the operator
 * resumes.
 */
export function expire(run: AtGate, at: Instant): Draft {
  const { gate } = run;
  const draft = closeBySystem(run, at, 'expired');
  if (gate.kind === 'permission') return answered(draft, gate, 'expired');
  if (gate.kind === 'protected') {
    const detail = `protected files changed: ${namePaths(gate.paths, 0)}; nobody answered in time`;
    const { paths } = gate;
    const then = afterProtected(gate);
    return park(draft, 'protected_changed', { detail, paths, then });
  }
  if (gate.back !== undefined) {
    // What was granted besides lifts nothing now: of this look nobody said that it failed.
    const { lifted: _, ...back } = gate.back;
    return returnTo(draft, back);
  }
  const detail = `nobody answered in time: ${gate.look}`;
  const then = verifyPoint(gate);
  return park(draft, 'review_expired', { detail, then });
}

/** The gate's outcome when no human gives one: `expired`, or `voided` because the asker is gone. */
export function closeBySystem(
  run: AtGate,
  at: Instant,
  outcome: 'expired' | 'voided',
  fraction = 1,
): Draft {
  const { approval } = run.gate;
  const none = { by: 'pawl', channel: 'driver', note: null, summary: '' };
  return closeGate(draftOf(run, at, fraction), { approval, outcome, ...none });
}

/** Where a run at a gate goes on, should it be parked for another reason. */
export function pointAfterGate(gate: Manual | Protected): ResumePoint {
  return gate.kind === 'manual' ? verifyPoint(gate) : afterProtected(gate);
}
