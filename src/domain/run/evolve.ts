/**
 * What each event of a run means for its state. History is true: nothing is refused or checked
 * here, and an event that meets a state it does not fit changes no more than it says.
 */
import { refusalsWith } from '../../kernel/refusals.ts';
import { addUsage } from '../budget/budget.ts';
import { type ExecutionId, executionId } from '../ids.ts';
import { bestAttempt } from '../verification/best.ts';
import { advised } from './evolve-council.ts';
import { afterAnswer, afterItsTurn, askingLane } from './evolve-permission.ts';
import { dispatched, stopAsked, waiting } from './evolve-stage.ts';
import {
  addedContextMax,
  attemptsKept,
  newFacts,
  noRecoveries,
  patch,
  restingFacts,
  withUnproven,
} from './facts.ts';
import type { RunEvent } from './message.ts';
import type { Counters, LivingRun, RunState } from './state.ts';
import { afterNotice, afterPlan, afterSleep } from './told.ts';

type Of<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>;

export const initialRun: RunState = { status: 'unborn' };

export function evolve(state: RunState, event: RunEvent): RunState {
  if (event.type === 'run.started') {
    const execution = executionId(event.run, 1);
    const stage = { phase: 'preparing', execution, stop: null } as const;
    return { ...newFacts(event), status: 'active', stage };
  }
  return state.status === 'unborn' ? state : evolveLiving(state, event);
}

function evolveLiving(run: LivingRun, event: Exclude<RunEvent, Of<'run.started'>>): LivingRun {
  switch (event.type) {
    case 'job.dispatched':
      return dispatched(run, event);
    case 'job.stop_requested':
      return stopAsked(run, { why: event.why, since: event.at });
    case 'run.waiting':
      return waiting(run, event);
    case 'gate.opened':
      return opened(run, event);
    case 'gate.resolved':
      return resolved(run, event);
    case 'permission.answered':
      return afterAnswer(run, event);
    case 'baseline.recorded':
    case 'criterion.appended':
    case 'turn.ended':
    case 'usage.recorded':
    case 'attempt.ended':
    case 'hint.added':
    case 'question.answered':
    case 'principal.refused':
      return recorded(run, event);
    case 'error.signalled':
    case 'error.healed':
    case 'recovery.recorded':
      return counted(run, event);
    case 'run.parked':
    case 'run.paused':
    case 'run.resumed':
    case 'pause.requested':
      return moved(run, event);
    case 'cancel.requested':
    case 'run.cancelled':
    case 'run.completed':
    case 'run.landed':
      return ending(run, event);
    case 'verification.recorded':
      return patch(run, {
        head: event.head ?? run.head,
        lastReceipt: event.facts.receipt ?? run.lastReceipt,
      });
    case 'artifacts.attested': {
      const { attempt, commit, artifacts } = event;
      return patch(run, { attested: { statement: artifacts.statement, attempt, commit } });
    }
    case 'gate.reminded':
      return run.status === 'waiting_human' ? { ...run, reminders: event.count } : run;
    case 'notice.planned':
      return patch(run, { notices: afterPlan(run, event) });
    case 'notice.recorded':
      return patch(run, { notices: afterNotice(run, event) });
    case 'machine.slept':
      return patch(run, { activeSince: afterSleep(run, event) });
    case 'escalation.recorded':
      return run.status === 'needs_operator' ? { ...run, escalation: event.escalation } : run;
    case 'job.window_renewed':
    case 'finding.recorded':
      return run;
    default:
      return advised(run, event);
  }
}

function opened(run: LivingRun, event: Of<'gate.opened'>): LivingRun {
  const facts = restingFacts(run, event.at);
  const counters = { ...facts.counters, approvals: facts.counters.approvals + 1 };
  return { ...facts, counters, status: 'waiting_human', gate: event.gate, reminders: 0 };
}

function resolved(run: LivingRun, event: Of<'gate.resolved'>): LivingRun {
  const { approval, outcome, by } = event;
  const known = patch(run, { resolvedApproval: { approval, outcome, by } });
  if (run.status !== 'waiting_human' || run.gate.kind !== 'protected') return known;
  if (outcome !== 'approved') return known;
  return patch(known, { allowedPaths: [...run.allowedPaths, ...run.gate.paths] });
}

type Recorded = Of<
  | 'baseline.recorded'
  | 'criterion.appended'
  | 'turn.ended'
  | 'usage.recorded'
  | 'attempt.ended'
  | 'hint.added'
  | 'question.answered'
  | 'principal.refused'
>;

function recorded(run: LivingRun, event: Recorded): LivingRun {
  switch (event.type) {
    case 'baseline.recorded': {
      const { outcome, summary, receipt } = event;
      return patch(run, { baseline: { outcome, summary, receipt } });
    }
    case 'criterion.appended':
      return withManualStep(run, event.look);
    case 'turn.ended':
      return afterTurn(run, event);
    case 'usage.recorded':
      return patch(run, { spent: addUsage(run.spent, event.usage) });
    case 'attempt.ended': {
      const attempts = [...run.attempts, event.attempt].slice(-attemptsKept);
      const counters = { ...run.counters, attempts: run.counters.attempts + 1, attemptErrors: 0 };
      return patch(withoutRefusals(afterItsTurn(run)), {
        attempts,
        counters,
        best: bestAttempt(attempts),
      });
    }
    case 'hint.added':
      return withHint(run, event);
    case 'question.answered':
      return patch(withContext(run, event.text), { answer: event.text });
    case 'principal.refused':
      return patch(run, { refusedGates: run.refusedGates + 1 });
  }
}

/** They are told of the attempt that ended; the next one has none yet. */
function withoutRefusals(run: LivingRun): LivingRun {
  const { refused: _, ...rest } = run;
  return rest;
}

function withHint(run: LivingRun, { text, notBefore }: Of<'hint.added'>): LivingRun {
  if (notBefore === undefined) return withContext(run, text);
  const held = [...(run.heldContext ?? []), { text, attempt: notBefore }];
  return patch(run, { heldContext: held.slice(-addedContextMax) });
}

function withContext(run: LivingRun, text: Of<'hint.added'>['text']): LivingRun {
  return patch(run, { addedContext: [...run.addedContext, text].slice(-addedContextMax) });
}

function withManualStep(run: LivingRun, look: string): LivingRun {
  const criterion = run.terms.steps.reduce(
    (next, step) => Math.max(next, step.kind === 'checks' ? step.to + 1 : step.criterion + 1),
    0,
  );
  const steps = [...run.terms.steps, { kind: 'manual', criterion, look } as const];
  return patch(run, { terms: { ...run.terms, steps } });
}

function afterTurn(run: LivingRun, event: Of<'turn.ended'>): LivingRun {
  const execution = openExecution(run);
  const unproven = event.end.proof === 'unproven';
  const facts = unproven && execution !== null ? withUnproven(run, [execution]) : run;
  return patch(carried(afterItsTurn(run)), {
    unproven: facts.unproven,
    head: event.commit ?? run.head,
    sessionId: event.sessionId ?? run.sessionId,
    nextTree: unproven ? 'new' : 'same',
    answer: null,
    lastReceipt: null,
    ...(event.refused === undefined ? {} : { refused: refusalsWith(run.refused, event.refused) }),
  });
}

/** Work of it came into its repository, or a human has looked: nothing is counted any more. */
function carried(run: LivingRun): LivingRun {
  const { uncarried, ...counters } = run.counters;
  return uncarried === undefined ? run : patch(run, { counters });
}

/** All that the run awaits: the execution of its job, and the opinions that are asked. */
export function awaitedExecutions(run: LivingRun): readonly ExecutionId[] {
  const execution = openExecution(run);
  const opinions = run.status === 'needs_operator' ? (run.council?.open ?? []) : [];
  return [...(execution === null ? [] : [execution]), ...opinions.map((one) => one.execution)];
}

/** The execution of its job that the run awaits; null when it awaits none. */
export function openExecution(run: LivingRun) {
  if (run.status === 'cancelling') return run.execution;
  if (run.status === 'waiting_human') return askingLane(run)?.execution ?? null;
  if (run.status !== 'active' || run.stage.phase === 'waiting') return null;
  return run.stage.execution;
}

type Counted = Of<'error.signalled' | 'error.healed' | 'recovery.recorded'>;

function counted(run: LivingRun, event: Counted): LivingRun {
  const { counters } = run;
  switch (event.type) {
    case 'error.signalled':
      return patch(run, {
        counters: {
          ...counters,
          totalErrors: counters.totalErrors + 1,
          unhealedErrors: counters.unhealedErrors + 1,
          attemptErrors: counters.attemptErrors + 1,
          timeouts: event.timeout ? counters.timeouts + 1 : counters.timeouts,
          lastErrorAt: event.at,
        },
      });
    case 'error.healed':
      return patch(run, {
        counters: {
          ...counters,
          unhealedErrors: counters.unhealedErrors - counters.attemptErrors,
          attemptErrors: 0,
          timeouts: 0,
        },
      });
    case 'recovery.recorded':
      return recovered(run, event);
  }
}

function recovered(run: LivingRun, event: Of<'recovery.recorded'>): LivingRun {
  const unproven = event.proof === 'unproven';
  return patch(run, {
    counters: { ...run.counters, ...recoveries(run.counters, event) },
    unproven: unproven ? withUnproven(run, [event.execution]).unproven : run.unproven,
    nextTree: unproven || isUncarried(event) ? 'new' : run.nextTree,
    head: event.commit ?? run.head,
    ...(event.class === 'source_unavailable' ? { here: true } : {}),
  });
}

/** A lane's own bad result is a turn that ended; this is said of work that cannot be carried. */
const isUncarried = ({ class: failure, action }: Of<'recovery.recorded'>): boolean =>
  failure === 'invalid_result' && action === 'stopped';

function recoveries(
  { requeues, transfers, contextOverflows, ...counters }: Counters,
  event: Of<'recovery.recorded'>,
): Partial<Counters> {
  const { action } = event;
  return {
    requeues: requeues + (action === 'requeue' ? 1 : 0),
    transfers: transfers + (action === 'transfer' ? 1 : 0),
    contextOverflows: contextOverflows + (action === 'fresh_session' ? 1 : 0),
    ...(event.cleanExit === true ? { cleanExits: (counters.cleanExits ?? 0) + 1 } : {}),
    ...(action === 'backed_off' ? { backOffs: (counters.backOffs ?? 0) + 1 } : {}),
    ...(isUncarried(event) ? { uncarried: (counters.uncarried ?? 0) + 1 } : {}),
  };
}

function moved(
  run: LivingRun,
  event: Of<'run.parked' | 'run.paused' | 'run.resumed' | 'pause.requested'>,
): LivingRun {
  switch (event.type) {
    case 'run.parked':
      return parked(run, event);
    case 'run.paused': {
      const { then, at, resumesAt = null } = event;
      return { ...restingFacts(run, at), pauseAsked: false, status: 'paused', then, resumesAt };
    }
    case 'run.resumed':
      return resumed(run, event);
    case 'pause.requested':
      return patch(event.now ? stopAsked(run, { why: 'pause', since: event.at }) : run, {
        pauseAsked: true,
      });
  }
}

/** A lane that is parked over in trouble of ours may still live; its end is not awaited (R7). */
function parked(run: LivingRun, event: Of<'run.parked'>): LivingRun {
  const { disposition, reason, detail, text, then, at, withdraws } = event;
  const left = reason === 'internal_error' && withdraws !== undefined ? [withdraws] : [];
  const facts = { ...withUnproven(restingFacts(run, at), left), pauseAsked: false };
  const { class: failure, paths = [], more = 0 } = event;
  const why = { disposition, reason, detail, text, class: failure, paths, more };
  return { ...facts, status: 'needs_operator', ...why, since: at, then };
}

/**
 * Resolving an escalation resets the budgets of recovery and signals; a pause counted nothing.
 * Whoever resumes it says anew where: without a word anybody may take it.
 */
function resumed(before: LivingRun, event: Of<'run.resumed'>): LivingRun {
  const { on: _, ...rest } = before;
  const run = carried(event.on === undefined ? rest : sentTo(rest, event.on));
  const { counters } = run;
  const allowedPaths = [...new Set([...run.allowedPaths, ...event.allowed])];
  const head = event.head ?? run.head;
  const widened = patch(run, { granted: event.granted, allowedPaths, head, pauseAsked: false });
  if (run.status !== 'needs_operator') return widened;
  const fresh = { ...noRecoveries(counters), unhealedErrors: 0 };
  const cleared = { ...fresh, attemptErrors: 0, timeouts: 0 };
  return patch(widened, { counters: { ...counters, ...cleared, resumed: counters.resumed + 1 } });
}

/** A human's word comes before what was found of its source. */
const sentTo = ({ here: _, ...run }: LivingRun, on: string): LivingRun => ({ ...run, on });

type Ending = Of<'cancel.requested' | 'run.cancelled' | 'run.completed' | 'run.landed'>;

function ending(run: LivingRun, event: Ending): LivingRun {
  switch (event.type) {
    case 'cancel.requested': {
      if (run.status === 'cancelling') return { ...run, now: true };
      const facts = restingFacts(run, event.at);
      const { execution, generation, note, at, now, retriedAs } = event;
      const counters = { ...facts.counters, timers: generation };
      const hurry = now === true ? ({ now } as const) : {};
      const replaced = retriedAs === undefined ? {} : { retriedAs };
      const asked = { since: at, execution, generation, note, ...hurry, ...replaced };
      return { ...facts, counters, status: 'cancelling', ...asked };
    }
    case 'run.cancelled': {
      const facts = withUnproven(restingFacts(run, event.at), event.unproven);
      const { cause, note, at, retriedAs } = event;
      const replaced = retriedAs === undefined ? {} : { retriedAs };
      return { ...facts, status: 'cancelled', endedAt: at, cause, note, ...replaced };
    }
    case 'run.completed': {
      const { verification, receipt, note, at } = event;
      const facts = restingFacts(run, at);
      return { ...facts, status: 'complete', verification, endedAt: at, receipt, note };
    }
    case 'run.landed': {
      const { commit, into, method, url = null } = event;
      return patch(
        run,
        method === 'pr' ? { proposed: { into, url } } : { landed: { commit, into } },
      );
    }
  }
}
