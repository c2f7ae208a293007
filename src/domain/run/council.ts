/**
 * A council about a parked run: each profile is asked in an execution of its own, and what it says
 * is kept. It decides nothing (R12, EV-7): its failures are its own, and whatever lets the run go
 * on ends it.
 */
import { councilProblem, usualCouncil } from '../../kernel/profiles.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import { clipLine } from '../../kernel/text.ts';
import type { FailureClass, ProofStrength } from '../execution/state.ts';
import { after, type ExecutionId, executionId, type Instant } from '../ids.ts';
import { mayRecover, recoveryFigures } from '../recovery/figures.ts';
import type { Advising, LostOpinion, OpenOpinion } from './council-message.ts';
import { add, type Draft, draftOf } from './draft.ts';
import { evolve } from './evolve.ts';
import { isProven, type JobEnd, usageOf } from './job-end.ts';
import type { RunCommand, RunEvent, RunRejection } from './message.ts';
import { detailMax } from './park.ts';
import type { LivingRun, RunState, RunTerms } from './state.ts';
import { opinionWaitMs } from './timing.ts';
import { wrongState } from './verbs.ts';

type Decision = Result<readonly RunEvent[], RunRejection>;
type Consult = Extract<RunCommand, { type: 'consult' }>;

/** Asked again, it is the same council: who asks hears what it says. */
export function consult(run: LivingRun, { profiles, principal, at }: Consult): Decision {
  if (run.status !== 'needs_operator' || run.terms.dryRun === true) return wrongState(run);
  const problem = profiles === null ? null : councilProblem(profiles);
  if (problem !== null) return err({ code: 'council.invalid', ...problem });
  const { council } = run;
  if (council !== undefined) {
    const isSame = profiles === null || isOf(profiles, council.profiles);
    return isSame ? ok([]) : err({ code: 'council.open', profiles: council.profiles });
  }
  const asked = {
    ...{ profiles: profiles ?? usualCouncil, ...advisingIn(run.terms) },
    ...{ by: principal.actor, channel: principal.channel },
  };
  const draft = add(draftOf<LivingRun>(run, at), { type: 'council.asked', ...asked });
  return ok(asked.profiles.reduce((so, profile) => ask(so, profile), draft).events);
}

const isOf = (some: readonly string[], all: readonly string[]): boolean =>
  some.length === all.length && some.every((profile) => all.includes(profile));

function advisingIn({ maker, checker }: RunTerms): Advising {
  const identity = checker ?? maker;
  const agent = identity.slice(identity.indexOf('@') + 1);
  return { agent, role: checker === null ? 'execute' : 'verify' };
}

function ask(draft: Draft, profile: string, lost?: LostOpinion): Draft {
  const { id, counters, head: commit } = draft.run;
  const n = counters.executions + 1;
  return add(draft, {
    type: 'opinion.asked',
    ...{ profile, execution: executionId(id, n), n, commit },
    dueAt: after(draft.at, opinionWaitMs),
    ...(lost === undefined ? {} : { after: lost }),
  });
}

export function opinionOf(run: LivingRun, execution: ExecutionId): OpenOpinion | null {
  if (run.status !== 'needs_operator') return null;
  return run.council?.open.find((one) => one.execution === execution) ?? null;
}

interface Ended {
  readonly execution: ExecutionId;
  readonly end: JobEnd;
  readonly at: Instant;
}

/** Null: it was no opinion, or is one no longer. */
export function opinionEnded(run: LivingRun, { execution, end, at }: Ended): Draft | null {
  const opinion = opinionOf(run, execution);
  const isLeaving = run.leaving?.includes(execution) === true;
  if (opinion === null && !isLeaving) return null;
  const usage = usageOf(end);
  const spent = usage === null ? [] : [{ type: 'usage.recorded', execution, usage } as const];
  const draft = add(draftOf(run, at), ...spent);
  if (opinion === null) {
    const proof = isProven(end) ? 'kernel' : 'unproven';
    return add(draft, { type: 'opinion.left', execution, proof });
  }
  if (end.how !== 'sealed' || end.result.kind !== 'advised')
    return lost(draft, opinion, lossOf(end));
  const { profile } = opinion;
  const { text } = end.result;
  const given = { outcome: 'given', text, detail: '' } as const;
  return add(draft, { type: 'opinion.ended', profile, execution, ...given });
}

interface Loss {
  readonly class: FailureClass;
  readonly proof: ProofStrength;
  readonly detail: string;
  readonly cleanExit?: true;
}

function lossOf(end: JobEnd): Loss {
  switch (end.how) {
    case 'sealed': {
      const { result } = end;
      if (result.kind === 'failed') return result;
      const detail = `It handed in what another kind of job does: ${result.kind}.`;
      return { class: 'invalid_result', proof: 'kernel', detail };
    }
    case 'lost':
      return end;
    case 'cancelled': {
      const detail = 'The execution was cancelled by others.';
      return { class: 'lane_died', proof: end.proof, detail };
    }
    case 'unknown':
      return { class: 'unknown_outcome', proof: 'unproven', detail: end.detail };
  }
}

/** What is asked again; any other failure would only come again. */
const asksAgain: Partial<Readonly<Record<FailureClass, LostOpinion['action']>>> = {
  lane_died: 'requeue',
  unknown_outcome: 'requeue',
  transport_lost: 'transfer',
};

function lost(draft: Draft, opinion: OpenOpinion, loss: Loss): Draft {
  const { profile, execution } = opinion;
  const { class: failure, proof, detail, cleanExit } = loss;
  const action = asksAgain[failure];
  const figures = recoveryFigures(draft.run.terms.recovery);
  const isCleanExit = cleanExit === true;
  if (
    action !== undefined &&
    mayRecover({ action, role: 'consult', isCleanExit }, opinion, figures)
  ) {
    const exit = isCleanExit ? ({ cleanExit: true } as const) : {};
    return ask(draft, profile, { execution, class: failure, proof, detail, action, ...exit });
  }
  const said = `${failure.replaceAll('_', ' ')}: ${detail}`;
  return unavailable(draft, opinion, { detail: said, proof });
}

function unavailable(
  draft: Draft,
  { profile, execution }: OpenOpinion,
  how: { readonly detail: string; readonly proof?: ProofStrength; readonly isLeft?: true },
): Draft {
  return add(draft, {
    ...{ type: 'opinion.ended', profile, execution, outcome: 'unavailable', text: null, ...how },
    detail: clipLine(how.detail, detailMax),
  });
}

/** Its host was not started; the others are asked all the same. */
export function opinionUndispatched(run: LivingRun, opinion: OpenOpinion, { detail, at }: Told) {
  const said = { detail: `Dispatch failed: ${detail}`, isLeft: true } as const;
  return ok(unavailable(draftOf(run, at), opinion, said).events);
}

interface Told {
  readonly detail: string;
  readonly at: Instant;
}

/** Those whose time is over; null: none is. */
export function opinionsOverdue(run: LivingRun, at: Instant): Draft | null {
  const open = run.status === 'needs_operator' ? (run.council?.open ?? []) : [];
  const late = open.filter(({ dueAt }) => at >= dueAt);
  if (late.length === 0) return null;
  const said = { detail: 'it gave none within its time', isLeft: true } as const;
  return late.reduce((so, opinion) => unavailable(so, opinion, said), draftOf(run, at));
}

/** Before the events that let the run go on: who is still asked is let go. */
export function councilClosed(
  run: LivingRun,
  events: readonly RunEvent[],
  at: Instant,
): readonly RunEvent[] {
  if (run.status !== 'needs_operator' || run.council === undefined) return [];
  const isResumed = events.some(({ type }) => type === 'run.resumed');
  // Resumed, it may be parked again at once.
  if (!isResumed && events.reduce<RunState>(evolve, run).status === 'needs_operator') return [];
  const gone = {
    outcome: 'cancelled',
    text: null,
    detail: 'the run went on',
    isLeft: true,
  } as const;
  const bodies = run.council.open.map(
    ({ profile, execution }) => ({ type: 'opinion.ended', profile, execution, ...gone }) as const,
  );
  return add(draftOf<LivingRun>(run, at), ...bodies).events;
}
