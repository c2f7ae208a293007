/**
 * What the engine reports of itself: no room, a dispatch that threw, a broken invariant, a question
 * that no lane waits for.
 */
import { err, ok, type Result } from '../../kernel/result.ts';
import type { ExecutionId, Instant } from '../ids.ts';
import { opinionOf, opinionUndispatched } from './council.ts';
import { add, type Draft, draftOf } from './draft.ts';
import { openExecution } from './evolve.ts';
import { askingLane, stageBehind } from './evolve-permission.ts';
import { closeBySystem, pointAfterGate } from './gate.ts';
import type { RunCommand, RunEvent, RunRejection } from './message.ts';
import { park } from './park.ts';
import { answered } from './permission.ts';
import { queueLeftMs, wait } from './proceed.ts';
import { pointOf } from './recovery.ts';
import type { LivingRun, ResumePoint } from './state.ts';
import { wrongState } from './verbs.ts';

type Decision = Result<readonly RunEvent[], RunRejection>;
type Of<T extends RunCommand['type']> = Extract<RunCommand, { type: T }>;
type Active = Extract<LivingRun, { status: 'active' }>;
type Cancelling = Extract<LivingRun, { status: 'cancelling' }>;

/** No budget is spent: the lane goes on, and no human is asked what nobody wants to know. */
export function voidPermission(run: LivingRun, command: Of<'void_permission'>): Decision {
  const { execution, request, at } = command;
  const asking = askingLane(run);
  const isIt = asking?.execution === execution && asking.ask.request === request;
  if (!isIt || run.status !== 'waiting_human') return err({ code: 'job.stale', execution });
  const closed = closeBySystem(run, at, 'voided');
  return ok(answered(closed, asking, 'withdrawn').events);
}

/**
 * The job is taken back and dispatched again when the timer fires; a run that waits already, waits
 * on.
 */
export function noCapacity(run: LivingRun, command: Of<'no_capacity'>): Decision {
  const { detail, slot, placed, at } = command;
  if (run.status !== 'active') return wrongState(run);
  if (run.stage.phase === 'waiting') return ok([]);
  const { stage } = run;
  const tried = stage.phase === 'verifying' ? stage : { tries: 0, parseRetries: 0 };
  const draft = draftOf<LivingRun>(run, at);
  const { tries, parseRetries } = tried;
  const then = unclaimed(run);
  const queued = slot === undefined ? {} : { slot };
  const waiting = {
    until: placed === true ? untilSpent(run, command) : command.until,
    then,
    detail,
    tries,
    parseRetries,
    withdraws: stage.execution,
    ...queued,
    ...(placed === undefined ? {} : { placed }),
  };
  return ok(wait(draft, { reason: 'no_capacity', ...waiting }).events);
}

/** The last wait ends when the time is over, not at the next round number after it. */
function untilSpent(run: Active, { until, at }: Of<'no_capacity'>): Instant {
  const leftMs = queueLeftMs(run);
  return leftMs > 0 ? (Math.min(until, at + leftMs) as Instant) : until;
}

/** A job that nobody took up is done as it was meant to be: not as after a lane that was lost. */
function unclaimed(run: Active): ResumePoint {
  const { stage } = run;
  if (stage.phase === 'waiting') return stage.then;
  return stage.phase === 'preparing' ? { job: 'prepare' } : stage.point;
}

/**
 * A budget over runs is spent, so no further lane is started: the run is handed to its operator
 * with its work kept and no attempt spent. A verification is let go on, since a pass beats every
 * budget (DESIGN §4.4).
 */
export function stopForBudget(run: LivingRun, command: Of<'stop_for_budget'>): Decision {
  if (run.status !== 'active') return wrongState(run);
  if (run.stage.phase !== 'executing') return ok([]);
  const { budget, detail, at } = command;
  const then = unclaimed(run);
  const parking = { then, detail, ...withdrawn(run) };
  return ok(park(draftOf<LivingRun>(run, at), `${budget}_budget`, parking).events);
}

/** A dispatch that throws leaves no orphan: the run is parked with the words of EV-48. */
export function failDispatch(run: LivingRun, command: Of<'fail_dispatch'>): Decision {
  const { execution } = command;
  const opinion = execution === undefined ? null : opinionOf(run, execution);
  if (opinion !== null) return opinionUndispatched(run, opinion, command);
  if (run.status !== 'active') return wrongState(run);
  const then = unclaimed(run);
  const parking = { then, class: 'dispatch_failed', ...withdrawn(run) } as const;
  const detail = `Dispatch failed: ${command.detail}`;
  const draft = draftOf<LivingRun>(run, command.at);
  return ok(park(draft, 'dispatch_failed', { ...parking, detail }).events);
}

const withdrawn = (run: LivingRun): { readonly withdraws?: ExecutionId } => {
  const execution = openExecution(run);
  return execution === null ? {} : { withdraws: execution };
};

/** Our own bug stops this run alone. A cancel that was asked for still ends (R7). */
export function parkInternalError(
  run: LivingRun,
  { detail, at }: Of<'park_internal_error'>,
): Decision {
  switch (run.status) {
    case 'complete':
    case 'cancelled':
      return wrongState(run);
    case 'needs_operator':
      return ok([]);
    case 'cancelling':
      return ok(giveUpCancel(run, at).events);
    case 'waiting_human': {
      const draft = closeBySystem(run, at, 'voided');
      const { gate } = run;
      const then =
        gate.kind === 'permission'
          ? apart(pointOf(draft, stageBehind(gate)))
          : pointAfterGate(gate);
      return ok(park(draft, 'internal_error', { detail, then, ...withdrawn(run) }).events);
    }
    case 'paused': {
      const { then } = run;
      return ok(park(draftOf(run, at), 'internal_error', { detail, then }).events);
    }
    default: {
      const draft = draftOf<LivingRun>(run, at);
      const { stage } = run;
      const then = apart(stage.phase === 'waiting' ? stage.then : pointOf(draft, stage));
      const parking = { detail, then, ...withdrawn(run) };
      return ok(park(draft, 'internal_error', parking).events);
    }
  }
}

/** The lane may still live when the run is parked under it, so the next one gets its own tree. */
const apart = (point: ResumePoint): ResumePoint =>
  point.job === 'execute' ? { ...point, tree: 'new' } : point;

/**
 * Not awaited longer: what cannot be proven ended is listed, and its execution becomes UNKNOWN
 * (R7).
 */
export function giveUpCancel(run: Cancelling, at: Cancelling['since']): Draft {
  const { execution, note, retriedAs = null } = run;
  const unproven = [...run.unproven, execution];
  const ended = { type: 'run.cancelled', cause: 'cancelled', note, retriedAs, unproven } as const;
  return add(draftOf<LivingRun>(run, at), { ...ended, abandons: execution });
}
