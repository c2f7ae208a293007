/** How a job that the run awaits has ended, and what that leads to. Ends of others are stale. */
import { err, ok, type Result } from '../../kernel/result.ts';
import { spentBudget } from '../budget/budget.ts';
import type { FailureClass, JobResult } from '../execution/state.ts';
import { opinionEnded } from './council.ts';
import { add, type Draft, draftOf } from './draft.ts';
import { askingLane, stageBehind } from './evolve-permission.ts';
import { closeBySystem } from './gate.ts';
import { isProven, usageOf } from './job-end.ts';
import type { JobEnd, RunCommand, RunEvent, RunRejection } from './message.ts';
import { prepared } from './prepared.ts';
import {
  type Failure,
  failed,
  follow,
  type Job,
  overBudget,
  pointOf,
  record,
  unmeasuredUsage,
} from './recovery.ts';
import type { LivingRun } from './state.ts';
import { attested, refusedIn, turnEnded } from './turn.ts';
import { verified } from './verdict.ts';

type Decision = Result<readonly RunEvent[], RunRejection>;
type JobEnded = Extract<RunCommand, { type: 'job_ended' }>;
type Cancelling = Extract<LivingRun, { status: 'cancelling' }>;
/** What the worker handed in that was accepted as a success. */
type Success = Exclude<JobResult, { kind: 'failed' }>;

export function jobEnded(run: LivingRun, command: JobEnded): Decision {
  const { execution, end, at, fraction } = command;
  const opinion = opinionEnded(run, command);
  if (opinion !== null) return ok(opinion.events);
  if (run.status === 'cancelling' && run.execution === execution) {
    return ok(cancelled(run, command).events);
  }
  const asking = askingLane(run);
  if (asking?.execution === execution && run.status === 'waiting_human') {
    // Who asked is gone, or waits no longer.
    const voided = closeBySystem(run, at, 'voided', fraction);
    return ok(ended(voided, stageBehind(asking), end).events);
  }
  if (run.status !== 'active' || run.stage.phase === 'waiting') return stale(command);
  if (run.stage.execution !== execution) return stale(command);
  return ok(ended(draftOf(run, at, fraction), run.stage, end).events);
}

const stale = ({ execution }: JobEnded): Decision => err({ code: 'job.stale', execution });

/**
 * The last execution of a cancelled run: what it did is recorded, what is unproven is listed (R7).
 */
function cancelled(run: Cancelling, { execution, end, at }: JobEnded): Draft {
  const recorded = add(draftOf(run, at), ...lastWork(run, end));
  const proven = isProven(end);
  return add(recorded, {
    type: 'run.cancelled',
    cause: 'cancelled',
    note: run.note,
    retriedAs: run.retriedAs ?? null,
    unproven: proven ? run.unproven : [...run.unproven, execution],
  });
}

function lastWork(run: Cancelling, end: JobEnd) {
  if (end.how !== 'sealed' || end.result.kind !== 'executed') {
    const usage = usageOf(end);
    return usage === null
      ? []
      : [{ type: 'usage.recorded', execution: run.execution, usage } as const];
  }
  const { commit, equalsBase, filesChanged, end: exit, sessionId, journal, usage } = end.result;
  const { execution, attempt } = run;
  const ended = { commit, equalsBase, filesChanged, end: exit, sessionId, journal };
  const turn = { ...ended, ...refusedIn(end.result) };
  return [
    { type: 'usage.recorded', execution, usage } as const,
    { type: 'turn.ended', attempt, ...turn } as const,
    ...attested(end.result, { execution, attempt }),
  ];
}

type Metered = Pick<Failure, 'usage'>;

function ended(draft: Draft, stage: Job, end: JobEnd): Draft {
  switch (end.how) {
    case 'sealed':
      return end.result.kind === 'failed'
        ? sealedFailure(draft, stage, end.result)
        : succeeded(draft, stage, end.result);
    case 'lost': {
      const failure = { ...end, class: withoutContent(end.class) };
      return stopped(draft, stage, failure) ?? failed(draft, stage, failure);
    }
    case 'cancelled': {
      const detail = 'The execution was cancelled by others.';
      const { proof, usage = null } = end;
      const failure = { class: 'lane_died', proof, detail, usage } as const;
      return stopped(draft, stage, failure) ?? follow(spent(draft, stage, failure), stage, failure);
    }
    case 'unknown': {
      const { detail, usage = null } = end;
      const failure = { class: 'unknown_outcome', proof: 'unproven', detail, usage } as const;
      return stopped(draft, stage, failure) ?? follow(spent(draft, stage, failure), stage, failure);
    }
  }
}

/** Who is lost has handed in nothing, so it cannot be content that was bad (R3). */
const withoutContent = (failure: FailureClass): FailureClass =>
  failure === 'invalid_result' ? 'lane_died' : failure;

/** What a host says of itself is believed, unless it only died of being stopped. */
function sealedFailure(
  draft: Draft,
  stage: Job,
  result: Extract<JobResult, { kind: 'failed' }>,
): Draft {
  if (isTimeSpent(draft, stage, result)) return timeSpent(draft, stage, result);
  const isEcho = result.class === 'lane_died' || result.class === 'transport_lost';
  const byStop = isEcho ? stopped(draft, stage, result) : null;
  return byStop ?? failed(draft, stage, { ...result, told: true });
}

function succeeded(draft: Draft, stage: Job, result: Success): Draft {
  const isInvalid = result.kind === 'executed' && result.outcome === 'invalid_result';
  if (isInvalid) {
    const signal = { type: 'error.signalled', class: 'invalid_result', timeout: false } as const;
    return worked(add(draft, signal), stage, result);
  }
  return worked(healed(draft), stage, result);
}

/** An error followed by success on its own attempt is no sign of convergence (DESIGN §4.1). */
function healed(draft: Draft): Draft {
  const { attemptErrors, timeouts } = draft.run.counters;
  return attemptErrors > 0 || timeouts > 0 ? add(draft, { type: 'error.healed' }) : draft;
}

function worked(draft: Draft, stage: Job, result: Success): Draft {
  if (stage.phase === 'preparing' && result.kind === 'prepared') return prepared(draft, result);
  if (stage.phase === 'executing' && result.kind === 'executed') {
    return turnEnded(draft, stage, result);
  }
  if (stage.phase === 'verifying' && result.kind === 'verified') {
    // A judge that was metered has spent of the same budget as the maker (L-F3).
    return verified(spent(draft, stage, result), stage, result);
  }
  const detail = `A ${stage.phase} job handed in what another kind of job does: ${result.kind}.`;
  return failed(draft, stage, { class: 'lane_died', proof: 'kernel', detail });
}

/** The end of a job that was asked to stop; null when nobody asked. */
export function stopped(draft: Draft, stage: Job, failure: Failure): Draft | null {
  if (stage.stop === null) return null;
  switch (stage.stop.why) {
    case 'pause': {
      const seen = recordStop(draft, stage, failure);
      const then = pointOf(seen, stage);
      return add(seen, { type: 'run.paused', then, by: 'pause.requested' });
    }
    case 'wall':
      return timeSpent(draft, stage, failure);
    case 'window':
      return failed(draft, stage, { ...failure, class: 'window_exhausted' });
  }
}

/** A turn is given what is left of the run's time, where that is less than its own. */
function isTimeSpent({ run, at }: Draft, { phase, stop }: Job, failure: Failure): boolean {
  if (failure.class !== 'window_exhausted' || phase !== 'executing') return false;
  return stop?.why === 'wall' || (stop === null && spentBudget(run, at) === 'wall');
}

function timeSpent(draft: Draft, stage: Job, failure: Failure): Draft {
  const detail = 'The active time granted was spent inside a turn.';
  const usage = failure.usage ?? unmeasuredUsage;
  const late = { ...failure, asked: 'wall' } as const;
  const seen = record(spent(draft, stage, { usage }), stage, late, 'stopped');
  return overBudget(seen, stage, { ...failure, detail });
}

const recordStop = (draft: Draft, stage: Job, failure: Failure): Draft =>
  record(spent(draft, stage, failure), stage, failure, 'stopped');

/** What was reported before the end counts, however the job ended (ruling 18). */
function spent(draft: Draft, { execution }: Job, { usage = null }: Metered): Draft {
  return usage === null ? draft : add(draft, { type: 'usage.recorded', execution, usage });
}
