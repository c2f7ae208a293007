/**
 * One stream, two machines: the run's decider and the deciders of its executions stay separate, and
 * here their answers become one {@link Change}. A run event that calls for work moves executions; an
 * execution that ends is reported to the run; all of it is one transaction.
 *
 * Invariants:
 *   C1. Folding the events of a stream with {@link foldEvolve} gives exactly `Change.next`.
 *   C2. A command leads to at most {@link roundsMax} further decisions.
 *   C3. The fence that a run shows is the fence of its newest grant.
 */
import { decide as decideExecution } from '../domain/execution/decide.ts';
import type { ExecutionCommand } from '../domain/execution/message.ts';
import type { Execution, Job } from '../domain/execution/state.ts';
import type { ExecutionId, Fence, Instant } from '../domain/ids.ts';
import type { RunAggregate, StreamEvent } from '../domain/run/aggregate.ts';
import { decide as decideRun } from '../domain/run/decide.ts';
import type { JobEnd, RunCommand, Work } from '../domain/run/message.ts';
import { react } from '../domain/run/react.ts';
import { invariant } from '../kernel/invariant.ts';
import { err, ok, type Result } from '../kernel/result.ts';
import type { Change } from '../ports/store.ts';
import { driverPrincipal, type EngineCommand, type EngineRejection } from './command.ts';
import { endOf } from './end-of.ts';
import { foldEvolve, foldExecution, isExecutionEvent } from './fold.ts';
import { rowsOf } from './rows.ts';

const roundsMax = 32;

/** A decision still to be taken within the present transaction. */
type Step =
  | { readonly kind: 'run'; readonly command: RunCommand }
  | {
      readonly kind: 'execution';
      readonly execution: ExecutionId;
      readonly command: ExecutionCommand;
    }
  /** Withdraws an unclaimed execution, asks a leased one: which one it is shows when it is its turn. */
  | { readonly kind: 'cancel'; readonly execution: ExecutionId };

/** What has been decided so far in the present transaction. */
export interface Progress {
  aggregate: RunAggregate;
  readonly events: StreamEvent[];
  readonly works: Work[];
  /** Executions that these events moved, as they are now; ended ones included. */
  readonly touched: Map<ExecutionId, Execution>;
  readonly queue: Step[];
}

/**
 * Decides one command and everything that follows from it at once. Pure; a rejection changes
 * nothing. @throws InvariantViolation when the machines contradict each other.
 */
export function composeDecide(
  aggregate: RunAggregate,
  command: EngineCommand,
): Result<Change, EngineRejection> {
  const progress: Progress = {
    aggregate,
    events: [],
    works: [],
    touched: new Map(),
    queue: reconciliations(aggregate, command),
  };
  const decided = decideStep(aggregate, command, command.at);
  if (!decided.ok) return err(decided.error);
  accept(progress, decided.value, command.at);
  for (let round = 1; progress.queue.length > 0; round += 1) {
    invariant(round < roundsMax, `a command comes to rest within ${roundsMax} decisions`);
    const step = progress.queue.shift();
    if (step !== undefined) follow(progress, step, command.at);
  }
  return ok({
    events: progress.events,
    next: progress.aggregate,
    rows: rowsOf(command.run, progress, command.at),
  });
}

function follow(progress: Progress, step: Step, at: Instant): void {
  const decided = decideStep(progress.aggregate, step, at);
  if (decided.ok) accept(progress, decided.value, at);
  else {
    const what = step.kind === 'cancel' ? 'cancel' : step.command.type;
    invariant(isMoot(what, decided.error.code), `${what} is refused: ${decided.error.code}`);
  }
}

/** What a derived command may meet without harm: its subject has moved on in the meantime. */
function isMoot(command: string, code: EngineRejection['code']): boolean {
  if (command === 'dispatch') return false;
  const moved: readonly string[] = [
    'job.stale',
    'run.wrong_state',
    'execution.not_open',
    'execution.unknown_outcome',
    'already.accepted',
  ];
  return moved.includes(code);
}

function decideStep(
  aggregate: RunAggregate,
  step: Step,
  at: Instant,
): Result<readonly StreamEvent[], EngineRejection> {
  if (step.kind === 'run') return decideRun(aggregate.run, step.command);
  const execution = aggregate.executions.find(({ id }) => id === step.execution) ?? null;
  if (step.kind === 'cancel') return decideExecution(execution, cancelOf(execution, at));
  return decideExecution(execution, numbered(aggregate, step.command));
}

function cancelOf(execution: Execution | null, at: Instant): ExecutionCommand {
  return execution?.status === 'DISPATCHED'
    ? { type: 'withdraw', reason: 'cancelled before it was claimed', at }
    : { type: 'request_cancel', at };
}

/** The fence is counted where it cannot be raced: inside the decision (C3, X6). */
function numbered(aggregate: RunAggregate, command: ExecutionCommand): ExecutionCommand {
  if (command.type !== 'claim' || aggregate.run.status === 'unborn') return command;
  return { ...command, fence: (aggregate.run.counters.fence + 1) as Fence };
}

function accept(progress: Progress, events: readonly StreamEvent[], at: Instant): void {
  for (const event of events) {
    progress.events.push(event);
    if (isExecutionEvent(event)) {
      const moved = foldExecution(progress.aggregate, event);
      if (moved !== null) progress.touched.set(event.id, moved);
      progress.aggregate = foldEvolve(progress.aggregate, event);
      const end = endOf(event);
      if (end !== null) progress.queue.push(ended(event.id, end, at));
    } else {
      progress.aggregate = foldEvolve(progress.aggregate, event);
      for (const work of react(progress.aggregate.run, event)) take(progress, work, at);
    }
  }
}

function take(progress: Progress, work: Work, at: Instant): void {
  progress.works.push(work);
  if (work.kind === 'cancel_execution') {
    progress.queue.push({ kind: 'cancel', execution: work.execution });
  }
  if (work.kind === 'dispatch') {
    progress.queue.push({
      kind: 'execution',
      execution: work.execution,
      command: { type: 'dispatch', id: work.execution, n: work.n, job: jobOf(work), at },
    });
  }
}

function ended(execution: ExecutionId, end: JobEnd, at: Instant): Step {
  return {
    kind: 'run',
    command: { type: 'job_ended', execution, end, at, principal: driverPrincipal },
  };
}

/** A human who says whether the unproven effect happened settles every UNKNOWN execution (X5). */
function reconciliations(aggregate: RunAggregate, command: EngineCommand): Step[] {
  if (command.kind !== 'run' || command.command.type !== 'resume') return [];
  const { happened } = command.command.options;
  if (happened === undefined) return [];
  return aggregate.executions
    .filter(({ status }) => status === 'UNKNOWN')
    .map(({ id }) => ({
      kind: 'execution',
      execution: id,
      command: { type: 'reconcile', happened, at: command.at },
    }));
}

function jobOf(work: Extract<Work, { kind: 'dispatch' }>): Job {
  const { point, attempt } = work;
  const common = { attempt, step: null, commit: null, tree: 'same', session: 'fresh' } as const;
  if (point.job === 'prepare') return { ...common, role: 'prepare' };
  if (point.job === 'execute') {
    const { commit, tree, session } = point;
    return { ...common, role: 'execute', commit, tree, session };
  }
  const role = work.step === 'judge' ? 'judge' : 'verify';
  return { ...common, role, step: point.step, commit: point.commit };
}
