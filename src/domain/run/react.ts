/**
 * What an event calls for: rows that the engine writes in the event's own transaction, so that
 * nothing the system must do later lives in memory only. Clearing what is not there is harmless.
 */
import { unreachable } from '../../kernel/invariant.ts';
import { activeMsAt } from '../budget/budget.ts';
import { after, type Digest, type ExecutionId, type Instant } from '../ids.ts';
import { refer as referTo } from '../references.ts';
import type { RunEvent, TimerKind, VerifyStepKind, Work } from './message.ts';
import type { LivingRun, RunFacts, RunState } from './state.ts';
import { reminderMs, stopMs, windowGraceMs } from './timing.ts';

type Of<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>;

/** Pure: the rows that an event calls for; `state` is the run after the event. */
export function react(state: RunState, event: RunEvent): readonly Work[] {
  return state.status === 'unborn' ? [] : reactLiving(state, event);
}

function reactLiving(run: LivingRun, event: RunEvent): readonly Work[] {
  switch (event.type) {
    case 'job.dispatched':
      return dispatch(run, event);
    case 'job.stop_requested':
      return [...cancel(event.execution), deadline(run, event.at, stopMs)];
    case 'job.window_renewed':
      return [deadline(run, event.at, windowMs(run) + windowGraceMs)];
    case 'pause.requested':
      return pause(run, event);
    case 'cancel.requested':
      return cancelling(run, event);
    case 'gate.opened':
    case 'gate.reminded':
    case 'gate.resolved':
      return gate(run, event);
    case 'permission.answered':
      return answer(run, event);
    case 'run.waiting': {
      const { generation, until } = event;
      const timer = { kind: 'set_timer', timer: 'wait', generation, dueAt: until } as const;
      return [...cancel(event.withdraws), ...clear(...jobTimers), timer];
    }
    case 'run.parked':
      return [
        ...cancel(event.withdraws),
        ...clear(...jobTimers, 'wait'),
        pageDue(run, event.at),
        ...refer('text', event.text),
      ];
    case 'run.paused':
      return clear(...jobTimers, 'wait');
    case 'run.cancelled': {
      const lost = event.abandons === undefined ? [] : [lose(event.abandons, 'cancelled')];
      return [...cancel(event.withdraws), ...lost, ...clear(...everyTimer)];
    }
    case 'run.completed':
      return [...clear(...everyTimer), ...refer('receipt', event.receipt)];
    case 'run.resumed':
      return [...clear('escalation'), ...reconcile(event)];
    case 'escalation.recorded':
      return [...clear('escalation'), ...refer('escalation', event.escalation)];
    case 'machine.slept':
      return activeTimeLeft(run, event.at);
    case 'opinion.asked':
    case 'opinion.ended':
      return opinion(run, event);
    case 'recovery.recorded':
      return event.abandoned === true ? [lose(event.execution, event.detail)] : [];
    default:
      return references(event);
  }
}

type Referring = Exclude<
  RunEvent,
  Of<
    | 'job.dispatched'
    | 'job.stop_requested'
    | 'job.window_renewed'
    | 'pause.requested'
    | 'cancel.requested'
    | 'gate.opened'
    | 'gate.reminded'
    | 'gate.resolved'
    | 'permission.answered'
    | 'run.waiting'
    | 'run.parked'
    | 'run.paused'
    | 'run.cancelled'
    | 'run.completed'
    | 'run.resumed'
    | 'escalation.recorded'
    | 'machine.slept'
    | 'opinion.asked'
    | 'opinion.ended'
    | 'recovery.recorded'
  >
>;

/** Events that need no row but keep an artifact from being forgotten. */
function references(event: Referring): readonly Work[] {
  switch (event.type) {
    case 'run.started':
      return refer('definition', event.definition);
    case 'baseline.recorded':
      return refer('receipt', event.receipt);
    case 'turn.ended':
      return refer('journal', event.journal);
    case 'artifacts.attested':
      return refer('statement', event.artifacts.statement);
    case 'verification.recorded':
      return [...refer('receipt', event.facts.receipt), ...refer('verdict', event.verdict)];
    case 'attempt.ended':
      return refer('receipt', event.attempt.receipt);
    case 'hint.added':
      return refer('hint', event.text);
    case 'question.answered':
      return refer('answer', event.text);
    case 'criterion.appended':
    case 'usage.recorded':
    case 'finding.recorded':
    case 'error.signalled':
    case 'error.healed':
    case 'run.landed':
    case 'principal.refused':
    case 'notice.planned':
    case 'notice.recorded':
    case 'council.asked':
    case 'opinion.left':
      return [];
    default:
      return unreachable(event);
  }
}

const jobTimers = ['active_time', 'attempt_time'] as const;
const gateTimers = ['gate_expiry', 'gate_reminder'] as const;
const otherTimers = ['wait', 'cancel_deadline', 'escalation', 'opinions'] as const;
const everyTimer = [...jobTimers, ...gateTimers, ...otherTimers] as const;

function dispatch(run: LivingRun, event: Of<'job.dispatched'>): readonly Work[] {
  const { execution, n, attempt, point } = event;
  const job = {
    kind: 'dispatch',
    execution,
    n,
    attempt,
    point,
    step: stepKind(run, point),
  } as const;
  const window = deadline(run, event.at, windowMs(run) + windowGraceMs);
  return [job, window, ...clear('wait'), ...activeTime(run, event.at)];
}

function stepKind(run: RunFacts, point: Of<'job.dispatched'>['point']): VerifyStepKind | null {
  if (point.job !== 'verify') return null;
  return run.terms.steps[point.step]?.kind === 'judge' ? 'judge' : 'checks';
}

/** How long the present job may take by its own measure. */
function windowMs(run: LivingRun): number {
  const { attemptTimeMs } = run.terms.brakes;
  const isLane = run.status === 'active' && run.stage.phase === 'executing';
  return isLane ? attemptTimeMs : Math.max(attemptTimeMs, run.terms.checkTimeMs);
}

/** One deadline per job; its generation is the number of the execution. */
function deadline(run: LivingRun, at: Instant, ms: number): Work {
  const generation = run.counters.executions;
  return { kind: 'set_timer', timer: 'attempt_time', generation, dueAt: after(at, ms) };
}

/** Set once per stretch of active time: at its first event. */
function activeTime(run: LivingRun, at: Instant): readonly Work[] {
  return run.activeSince === at ? activeTimeLeft(run, at) : [];
}

function activeTimeLeft(run: LivingRun, at: Instant): readonly Work[] {
  if (run.activeSince === null || run.granted.timeMs === null) return [];
  const dueAt = after(at, Math.max(0, run.granted.timeMs - activeMsAt(run, at)));
  return [{ kind: 'set_timer', timer: 'active_time', generation: run.counters.timers, dueAt }];
}

function pause(run: LivingRun, event: Of<'pause.requested'>): readonly Work[] {
  if (!event.now || run.status !== 'active' || run.stage.phase === 'waiting') return [];
  return [...cancel(run.stage.execution), deadline(run, event.at, stopMs)];
}

/** Said again, it moves no deadline (R7). */
function cancelling(run: LivingRun, event: Of<'cancel.requested'>): readonly Work[] {
  const { execution, generation } = event;
  if (run.status === 'cancelling' && run.since !== event.at) return [];
  const dueAt = after(event.at, stopMs);
  const timer = { kind: 'set_timer', timer: 'cancel_deadline', generation, dueAt } as const;
  return [...cancel(execution), ...clear(...jobTimers), timer];
}

function gate(
  run: LivingRun,
  event: Of<'gate.opened' | 'gate.reminded' | 'gate.resolved'>,
): readonly Work[] {
  const generation = run.counters.approvals;
  switch (event.type) {
    case 'gate.opened': {
      const { expiresAt } = event.gate;
      const expiry = { kind: 'set_timer', timer: 'gate_expiry', generation } as const;
      return [
        { kind: 'open_approval', gate: event.gate },
        ...clear(...jobTimers, 'wait'),
        ...(expiresAt === null ? [] : [{ ...expiry, dueAt: expiresAt }]),
        reminder(generation, event.at, 0),
      ];
    }
    case 'gate.reminded':
      return [reminder(generation, event.at, event.count)];
    case 'gate.resolved': {
      const { approval, outcome, by, channel, note } = event;
      const close = { kind: 'close_approval', approval, outcome, by, channel } as const;
      return [close, ...clear(...gateTimers), ...refer('note', note)];
    }
  }
}

/** A human's time is not the lane's: it has its whole window again, and its host the rest of it. */
function answer(run: LivingRun, event: Of<'permission.answered'>): readonly Work[] {
  const { execution, request, decision, why, at } = event;
  const no = why === 'rejected' || why === 'expired' ? { why } : {};
  const answer = { request, decision, ...no };
  const told = { kind: 'answer_execution', execution, answer } as const;
  if (why === 'matched') return [told];
  const window = deadline(run, at, windowMs(run) + windowGraceMs);
  return [told, window, ...activeTime(run, at)];
}

/** At once; the one that is left open when a run goes on before it was made is of no use. */
function pageDue(run: LivingRun, dueAt: Instant): Work {
  const generation = run.counters.resumed;
  return { kind: 'set_timer', timer: 'escalation', generation, dueAt };
}

function reconcile({ happened }: Of<'run.resumed'>): readonly Work[] {
  return happened === undefined ? [] : [{ kind: 'reconcile_executions', happened }];
}

function opinion(run: LivingRun, event: Of<'opinion.asked' | 'opinion.ended'>): readonly Work[] {
  const timer = opinionsDue(run);
  if (event.type === 'opinion.asked') {
    const { execution, n, profile, commit } = event;
    const point = { job: 'consult', profile, commit } as const;
    const { attempt } = run;
    return [{ kind: 'dispatch', execution, n, attempt, point, step: null }, timer];
  }
  const { execution, text, isLeft } = event;
  return [...cancel(isLeft === true ? execution : undefined), ...refer('opinion', text), timer];
}

/** One timer for all that is asked, at the first deadline among them. */
function opinionsDue(run: LivingRun): Work {
  const open = run.status === 'needs_operator' ? (run.council?.open ?? []) : [];
  if (open.length === 0) return { kind: 'clear_timer', timer: 'opinions' };
  const dueAt = Math.min(...open.map((one) => one.dueAt)) as Instant;
  const generation = Math.max(...open.map(({ n }) => n));
  return { kind: 'set_timer', timer: 'opinions', generation, dueAt };
}

function reminder(generation: number, at: Instant, count: number): Work {
  const dueAt = after(at, reminderMs(count));
  return { kind: 'set_timer', timer: 'gate_reminder', generation, dueAt };
}

function cancel(execution: ExecutionId | undefined): readonly Work[] {
  return execution === undefined ? [] : [{ kind: 'cancel_execution', execution }];
}

const lose = (execution: ExecutionId, detail: string): Work => ({
  kind: 'lose_execution',
  execution,
  detail,
});

const clear = (...timers: readonly TimerKind[]): readonly Work[] =>
  timers.map((timer) => ({ kind: 'clear_timer', timer }));

const refer = (kind: string, digest: Digest | null): readonly Work[] =>
  referTo(kind, digest).map((reference) => ({ kind: 'reference', ...reference }));
