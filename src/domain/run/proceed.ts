/**
 * From one job to the next (R4): the only place that dispatches. A pause that was asked for is
 * acted on here, between jobs; budgets and the cap are asked before every turn of a lane, and never
 * before a verification, since a pass beats them (DESIGN §4.4).
 */
import { invariant } from '../../kernel/invariant.ts';
import { clipLine } from '../../kernel/text.ts';
import { spentBudget } from '../budget/budget.ts';
import type { FailureClass } from '../execution/state.ts';
import { after, approvalId, type ExecutionId, executionId, type Instant } from '../ids.ts';
import { backOffMs } from '../retry/back-off.ts';
import { add, type Draft } from './draft.ts';
import type { RunEvent } from './message.ts';
import { detailMax, park } from './park.ts';
import type {
  Back,
  ParkReason,
  ResumePoint,
  RunFacts,
  VerificationStep,
  WaitReason,
} from './state.ts';

type Why = Extract<RunEvent, { type: 'job.dispatched' }>['why'];
type Manual = Extract<VerificationStep, { kind: 'manual' }>;

export interface Next {
  readonly why: Why;
  readonly tries?: number;
  readonly parseRetries?: number;
}

export function proceed(draft: Draft, then: ResumePoint, next: Next): Draft {
  if (draft.run.pauseAsked) return add(draft, { type: 'run.paused', then, by: 'pause.requested' });
  switch (then.job) {
    case 'execute':
      return execute(draft, then, next);
    case 'verify': {
      const step = draft.run.terms.steps[then.step];
      return step?.kind === 'manual' ? ask(draft, then, step) : dispatch(draft, then, next);
    }
    default:
      return dispatch(draft, then, next);
  }
}

/** Where the run was when a human asked for a verification that did not pass. */
export function returnTo(draft: Draft, back: Back): Draft {
  const { reason, then, lifted, ...parking } = back;
  if (reason === null) return add(draft, { type: 'run.paused', then, by: 'verify-now' });
  if (lifted === true) return proceed(draft, then, { why: 'resumed' });
  return park(draft, reason, { ...parking, then });
}

type Execute = Extract<ResumePoint, { job: 'execute' }>;

function execute(draft: Draft, then: Execute, next: Next): Draft {
  const reason = brake(draft.run, draft.at);
  if (reason !== null) return park(draft, reason, { detail: brakeDetail[reason], then });
  const { run } = draft;
  const tree = run.nextTree === 'new' ? 'new' : then.tree;
  return dispatch(draft, { ...then, tree, commit: then.commit ?? run.head }, next);
}

type Brake = 'cost' | 'tokens' | 'wall' | 'attempts_exhausted';

const brakeDetail: Readonly<Record<Brake, string>> = {
  cost: 'The money granted is spent.',
  tokens: 'The tokens granted are spent.',
  wall: 'The active time granted is spent.',
  attempts_exhausted: 'All granted attempts are spent.',
};

/** What forbids a further turn: budget first, then the cap; null when nothing does. */
export function brake(run: RunFacts, at: Instant): Brake | null {
  const { granted, counters } = run;
  const capped = granted.attempts !== null && counters.attempts >= granted.attempts;
  return spentBudget(run, at) ?? (capped ? 'attempts_exhausted' : null);
}

function dispatch(draft: Draft, point: ResumePoint, next: Next): Draft {
  const { run } = draft;
  const n = run.counters.executions + 1;
  return add(draft, {
    type: 'job.dispatched',
    execution: executionId(run.id, n),
    n,
    attempt: point.job === 'execute' ? run.counters.attempts + 1 : run.attempt,
    point,
    why: next.why,
    tries: next.tries ?? 0,
    parseRetries: next.parseRetries ?? 0,
  });
}

/** A manual criterion makes no job: the run waits for a human (EV-45). */
function ask(draft: Draft, point: Extract<ResumePoint, { job: 'verify' }>, step: Manual): Draft {
  const { commit, back } = point;
  const asked = { ...askedNow(draft), look: step.look, commit, step: point.step };
  const gate = { kind: 'manual', ...asked, ...(back === undefined ? {} : { back }) } as const;
  return add(draft, { type: 'gate.opened', gate });
}

export function askedNow({ run, at }: Draft) {
  const { approvalsExpireMs } = run.terms;
  return {
    approval: approvalId(run.id, run.counters.approvals + 1),
    askedAt: at,
    expiresAt: approvalsExpireMs === null ? null : after(at, approvalsExpireMs),
  };
}

export interface Wait {
  readonly reason: Exclude<WaitReason, 'next_tick'>;
  readonly until: Instant;
  readonly then: ResumePoint;
  readonly detail: string;
  readonly tries?: number;
  readonly parseRetries?: number;
  /** For a slot of its group. */
  readonly slot?: true;
  /** For a worker that may take it. */
  readonly placed?: true;
  /** The open execution that is taken back. */
  readonly withdraws?: ExecutionId;
  /** What it parks with when the waiting time is spent; absent: `wait_exhausted`. */
  readonly otherwise?: Extract<ParkReason, FailureClass>;
}

/** A stored timer; over the waiting time that was granted, a park instead. */
export function wait(draft: Draft, { reason, until, then, detail, ...more }: Wait): Draft {
  const { run, at } = draft;
  const { tries = 0, parseRetries = 0, withdraws, slot, placed } = more;
  const taken = withdraws === undefined ? {} : { withdraws };
  const queued = {
    ...(slot === undefined ? {} : { slot }),
    ...(placed === undefined ? {} : { placed }),
  };
  if (isWaitSpent(run, reason, until - at)) {
    const limit = reason === 'rate_limited' ? ('rate_limited' as const) : null;
    const failure = more.otherwise ?? limit;
    return park(draft, more.otherwise ?? 'wait_exhausted', {
      detail,
      then,
      class: failure,
      ...taken,
    });
  }
  const generation = run.counters.timers + 1;
  const said = clipLine(detail, detailMax);
  const waiting = { type: 'run.waiting', reason, until, generation, then, detail: said } as const;
  return add(draft, { ...waiting, ...queued, tries, parseRetries, ...taken });
}

/** The queue for a slot and the waits for limits are measured apart, each by `waitTime`. */
function isWaitSpent(run: RunFacts, reason: WaitReason, ms: number): boolean {
  if (reason === 'no_capacity') return ms > queueLeftMs(run);
  return run.spent.waitedMs + ms > run.granted.waitTimeMs;
}

/** How long it may still wait for a slot, or for a worker. */
export const queueLeftMs = ({ spent, granted, terms }: RunFacts): number =>
  (granted.queueTimeMs ?? terms.brakes.waitTimeMs) - (spent.queuedMs ?? 0);

/** When to try again after an outcome that proves nothing, or a holder without room. */
export function retryAt({ at, fraction }: Draft, tries: number): Instant {
  invariant(tries > 0, 'a back-off follows a try');
  return after(at, backOffMs({ tries, baseMs: 5_000, mostMs: 300_000, fraction }));
}
