/**
 * What a failure leads to, by its class (DESIGN §4.2, §13). An operational failure makes a new
 * execution of the same attempt within the budgets of the job (R3, RR-29); who cannot be proven
 * gone keeps the successor out of his tree (design/lane-host.md).
 */
import { likelyBudget, spentBudget } from '../budget/budget.ts';
import type { ExecutionRole, FailureClass, ProofStrength, Usage } from '../execution/state.ts';
import type { Commit, Digest } from '../ids.ts';
import { placementOf } from '../placement/placement.ts';
import { mayRecover, recoveryFigures } from '../recovery/figures.ts';
import { type Follow, follows } from '../retry/classes.ts';
import { failAttempt, unmeasured } from './attempt.ts';
import { add, type Draft } from './draft.ts';
import type { RunEvent } from './message.ts';
import { park } from './park.ts';
import { refuse } from './prepared.ts';
import { brake, proceed, retryAt, wait } from './proceed.ts';
import type { ParkReason, ResumePoint, Stage } from './state.ts';
import { limited, onwards } from './turn.ts';
import { parseAgain } from './verdict.ts';

export type Job = Exclude<Stage, { phase: 'waiting' }>;
type Action = Extract<RunEvent, { type: 'recovery.recorded' }>['action'];

export interface Failure {
  readonly class: FailureClass;
  readonly proof: ProofStrength;
  readonly detail: string;
  readonly commit?: Commit | null;
  readonly usage?: Usage | null;
  readonly text?: Digest | null;
  readonly abandoned?: true;
  /** It ended by itself, in good order, and left no result. */
  readonly cleanExit?: true;
  /** Its host lives and says it; absent: it fell silent. */
  readonly told?: true;
  /** Its deadline was the run's: it ended at it before it was asked to. */
  readonly asked?: 'wall';
}

/** Where the present job would be done again. */
export function pointOf(draft: Draft, stage: Job): ResumePoint {
  switch (stage.phase) {
    case 'preparing':
      return { job: 'prepare' };
    case 'executing':
      return onwards(draft, stage.point);
    case 'verifying':
      return stage.point;
  }
}

/** Spending that nobody measured is unknown, not nothing (ruling 18). */
export const unmeasuredUsage: Usage = {
  costUsd: null,
  source: 'none',
  tokensIn: 0,
  tokensOut: 0,
  cacheRead: 0,
  cacheWrite: 0,
};

/** An execution that FAILED or is EXHAUSTED: counted as a signal (EV-9, EV-10), then followed. */
export function failed(draft: Draft, stage: Job, failure: Failure): Draft {
  const { execution } = stage;
  const usage = failure.usage ?? (stage.phase === 'executing' ? unmeasuredUsage : null);
  const timeout = failure.class === 'window_exhausted';
  const counted = add(
    draft,
    ...(usage === null ? [] : [{ type: 'usage.recorded', execution, usage } as const]),
    { type: 'error.signalled', class: failure.class, timeout },
  );
  return follow(counted, stage, failure);
}

/**
 * An end that is no error (cancelled by others, an outcome nobody knows): followed, not counted.
 */
export function follow(draft: Draft, stage: Job, failure: Failure): Draft {
  const rule = ruleFor(stage, failure.class);
  switch (rule.follow) {
    case 'requeue':
      return again(draft, stage, failure, 'requeue');
    case 'transfer':
      return again(draft, stage, failure, 'transfer');
    case 'wait': {
      const seen = record(draft, stage, failure, 'stopped');
      return limited(seen, pointOf(seen, stage), null);
    }
    case 'back_off':
      return backOff(draft, stage, failure, rule.reason);
    case 'fresh_session':
      return freshSession(draft, stage, failure, rule.reason);
    case 'content':
      return badContent(draft, stage, failure);
    case 'budget':
      return overBudget(record(draft, stage, failure, 'stopped'), stage, failure);
    case 'refuse':
      if (stage.phase === 'preparing') return refuse(draft, failure.detail);
      return parked(draft, stage, failure, 'setup_failed');
    case 'here':
      return byServer(draft, stage, failure, rule.reason);
    case 'park':
      return parked(draft, stage, failure, rule.reason);
  }
}

/** Its own hosts work in the repository itself; they have no labels, and are no certain worker. */
function byServer(draft: Draft, stage: Job, failure: Failure, reason: ParkReason): Draft {
  const { run } = draft;
  const placement = placementOf(run, roleOf(draft, stage));
  if (run.here === true || placement !== null) return parked(draft, stage, failure, reason);
  const recovered = record(draft, stage, failure, 'transfer');
  return proceed(recovered, pointOf(recovered, stage), replaced(stage));
}

/** Setup and checks are ours to run again: never UNKNOWN, and no content of a lane. */
function ruleFor(stage: Job, failure: FailureClass): Follow {
  const isLane = stage.phase === 'executing';
  if (!isLane && failure === 'unknown_outcome') return { follow: 'requeue' };
  if (stage.phase === 'preparing' && failure === 'invalid_result') return { follow: 'requeue' };
  return follows[failure];
}

/**
 * What was seen and done about a job that did not end by its own result. Only a turn leaves work:
 * what a check or a judge names when it fails is not what was asked for, and moves no head (R9).
 */
export function record(draft: Draft, stage: Job, failure: Failure, action: Action): Draft {
  const { class: failureClass, proof, detail, abandoned, cleanExit } = failure;
  const { execution } = stage;
  const commit = stage.phase === 'executing' ? failure.commit : null;
  const asked = action === 'stopped' ? (failure.asked ?? askedOf(stage)) : null;
  return add(draft, {
    type: 'recovery.recorded',
    execution,
    class: failureClass,
    proof,
    action,
    detail,
    ...(asked === null ? {} : { asked }),
    ...(commit === undefined || commit === null ? {} : { commit }),
    ...(abandoned === undefined ? {} : { abandoned }),
    ...(cleanExit === undefined ? {} : { cleanExit }),
  });
}

/** What ends its window is an error of the lane: it is counted, and nobody asked for it. */
const askedOf = ({ stop }: Job): 'pause' | 'wall' | null =>
  stop === null || stop.why === 'window' ? null : stop.why;

/** A new execution of the same attempt, as long as the job has recoveries left. */
function again(draft: Draft, stage: Job, failure: Failure, action: 'requeue' | 'transfer'): Draft {
  const { counters, terms } = draft.run;
  const recovery = { action, role: roleOf(draft, stage), isCleanExit: failure.cleanExit === true };
  if (!mayRecover(recovery, counters, recoveryFigures(terms.recovery))) {
    const given = record(draft, stage, failure, 'give_up');
    const { detail, class: failureClass } = failure;
    const then = pointOf(given, stage);
    return park(given, 'recovery_exhausted', { detail, then, class: failureClass });
  }
  const recovered = record(draft, stage, failure, action);
  // A lost lease was waited for; who says that the other side is away would find it so again.
  const isAway = failure.class === 'transport_lost' && failure.told === true;
  if (isAway && brake(draft.run, draft.at) === null) {
    return later(recovered, stage, { tries: counters.transfers + 1, detail: failure.detail });
  }
  return proceed(recovered, pointOf(recovered, stage), replaced(stage));
}

/** The same job after a wait that grows. */
function later(
  draft: Draft,
  stage: Job,
  more: { readonly tries: number; readonly detail: string; readonly otherwise?: 'disk_full' },
): Draft {
  const { tries: after, ...told } = more;
  const { why: _why, ...kept } = replaced(stage);
  const until = retryAt(draft, after);
  const then = pointOf(draft, stage);
  return wait(draft, { reason: 'backoff', until, then, ...told, ...kept });
}

const jobRoles = { preparing: 'prepare', executing: 'execute', verifying: 'verify' } as const;

function roleOf(draft: Draft, stage: Job): ExecutionRole {
  const isJudge =
    stage.phase === 'verifying' && draft.run.terms.steps[stage.step]?.kind === 'judge';
  return isJudge ? 'judge' : jobRoles[stage.phase];
}

/** About 75 minutes in all: long enough for whoever is told to make room. */
export const backOffsMax = 20;

/** The same job after a wait that grows; nothing but waiting time is spent. */
function backOff(draft: Draft, stage: Job, failure: Failure, reason: 'disk_full'): Draft {
  const tries = (draft.run.counters.backOffs ?? 0) + 1;
  if (tries > backOffsMax) return parked(draft, stage, failure, reason);
  const seen = record(draft, stage, failure, 'backed_off');
  return later(seen, stage, { tries, detail: failure.detail, otherwise: reason });
}

function replaced(stage: Job) {
  if (stage.phase !== 'verifying') return { why: 'replaced' } as const;
  return { why: 'replaced', tries: stage.tries, parseRetries: stage.parseRetries } as const;
}

/** Once per job: a conversation that grew too long begins anew; the second time a human decides. */
function freshSession(draft: Draft, stage: Job, failure: Failure, reason: ParkReason): Draft {
  if (draft.run.counters.contextOverflows > 0) return parked(draft, stage, failure, reason);
  const recovered = record(draft, stage, failure, 'fresh_session');
  const point = pointOf(recovered, stage);
  const fresh = point.job === 'execute' ? { ...point, session: 'fresh' as const } : point;
  return proceed(recovered, fresh, replaced(stage));
}

function badContent(draft: Draft, stage: Job, failure: Failure): Draft {
  if (stage.phase === 'verifying') return parseAgain(draft, stage);
  const seen = record(draft, stage, failure, 'stopped');
  return failAttempt(seen, { ...unmeasured, summary: failure.detail });
}

export function overBudget(draft: Draft, stage: Job, failure: Failure): Draft {
  const reason = spentBudget(draft.run, draft.at) ?? likelyBudget(draft.run.granted);
  const { detail, class: failureClass } = failure;
  const then = pointOf(draft, stage);
  return park(draft, reason, { detail, then, class: failureClass });
}

function parked(draft: Draft, stage: Job, failure: Failure, reason: ParkReason): Draft {
  const { class: failureClass, detail, text = null } = failure;
  const seen = record(draft, stage, failure, 'give_up');
  const prefix = reason === 'dispatch_failed' ? 'Dispatch failed: ' : '';
  const then = pointOf(seen, stage);
  const parking = { detail: `${prefix}${detail}`, text, class: failureClass, then };
  return park(seen, reason, parking);
}
