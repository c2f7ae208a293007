/**
 * One stream, two machines: the run's decider and the deciders of its executions stay separate, and
 * here their answers become one {@link Change}. A run event that calls for work moves executions;
 * an execution that ends is reported to the run; all of it is one transaction.
 *
 * Invariants:
 *   C1. Folding the events of a stream with {@link foldEvolve} gives exactly `Change.next`.
 *   C2. A command leads to at most {@link roundsMax} further decisions.
 *   C3. The fence that a run shows is the fence of its newest grant.
 */
import { decide as decideExecution } from '../domain/execution/decide.ts';
import { jobOf } from '../domain/execution/job.ts';
import type { ExecutionCommand, ExecutionEvent } from '../domain/execution/message.ts';
import { referencesOf } from '../domain/execution/references.ts';
import type { Execution } from '../domain/execution/state.ts';
import type { ExecutionId, Fence, Instant } from '../domain/ids.ts';
import type { RunAggregate, StreamEvent } from '../domain/run/aggregate.ts';
import { decide as decideRun } from '../domain/run/decide.ts';
import { openExecution } from '../domain/run/evolve.ts';
import type { JobEnd, RunCommand, Work } from '../domain/run/message.ts';
import { react } from '../domain/run/react.ts';
import { invariant } from '../kernel/invariant.ts';
import { err, ok, type Result } from '../kernel/result.ts';
import type { Change } from '../ports/store.ts';
import { driverPrincipal, type EngineCommand, type EngineRejection } from './command.ts';
import { endOf } from './end-of.ts';
import { foldEvolve, foldExecution, isExecutionEvent } from './fold.ts';
import { orAdoption } from './late-seal.ts';
import { rowsOf } from './rows.ts';

const roundsMax = 32;

type AskedEvent = Extract<ExecutionEvent, { readonly type: 'execution.asked' }>;

/** A decision still to be taken within the present transaction. */
type Step =
  | { readonly kind: 'run'; readonly command: RunCommand }
  | {
      readonly kind: 'execution';
      readonly execution: ExecutionId;
      readonly command: ExecutionCommand;
    }
  /**
   * Withdraws an unclaimed execution, asks a leased one: which one it is shows when it is its turn.
   */
  | { readonly kind: 'cancel'; readonly execution: ExecutionId }
  | { readonly kind: 'reconcile'; readonly happened: boolean };

/** What has been decided so far in the present transaction. */
export interface Progress {
  aggregate: RunAggregate;
  readonly events: StreamEvent[];
  readonly works: Work[];
  /** Executions that these events moved, as they are now; ended ones included. */
  readonly touched: Map<ExecutionId, Execution>;
  readonly queue: Step[];
  readonly at: Instant;
  readonly fraction: number | undefined;
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
    queue: [],
    at: command.at,
    fraction: command.fraction,
  };
  const decided = decideStep(aggregate, orAdoption(aggregate, command), command.at);
  if (!decided.ok) return err(decided.error);
  accept(progress, decided.value);
  for (let round = 1; progress.queue.length > 0; round += 1) {
    invariant(round < roundsMax, `a command comes to rest within ${roundsMax} decisions`);
    const step = progress.queue.shift();
    if (step !== undefined) follow(progress, step);
  }
  return ok({
    events: progress.events,
    next: progress.aggregate,
    rows: rowsOf(command.run, progress, command.at),
  });
}

function follow(progress: Progress, step: Step): void {
  const { at } = progress;
  if (step.kind === 'reconcile') {
    for (const execution of unknownIn(progress.aggregate)) {
      const command = { type: 'reconcile', happened: step.happened, at } as const;
      progress.queue.push({ kind: 'execution', execution, command });
    }
    return;
  }
  const decided = decideStep(progress.aggregate, step, at);
  if (decided.ok) accept(progress, decided.value);
  else {
    const what = step.kind === 'cancel' ? 'cancel' : step.command.type;
    invariant(isMoot(what, decided.error.code), `${what} is refused: ${decided.error.code}`);
  }
}

const unknownIn = ({ executions }: RunAggregate): readonly ExecutionId[] =>
  executions.filter(({ status }) => status === 'UNKNOWN').map(({ id }) => id);

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
  step: Exclude<Step, { readonly kind: 'reconcile' }>,
  at: Instant,
): Result<readonly StreamEvent[], EngineRejection> {
  if (step.kind === 'run') return decideInformed(aggregate, step.command);
  const execution = aggregate.executions.find(({ id }) => id === step.execution) ?? null;
  if (step.kind === 'cancel') return decideExecution(execution, cancelOf(execution, at));
  return decideExecution(execution, numbered(aggregate, step.command));
}

function cancelOf(execution: Execution | null, at: Instant): ExecutionCommand {
  return execution?.status === 'DISPATCHED'
    ? { type: 'withdraw', reason: 'cancelled before it was claimed', at }
    : { type: 'request_cancel', at };
}

/** A puller that slept between its look and its word must not undo what was claimed meanwhile. */
const ofUnclaimed: readonly RunCommand['type'][] = [
  'no_capacity',
  'stop_for_budget',
  'fail_dispatch',
];

function decideInformed(
  aggregate: RunAggregate,
  command: RunCommand,
): Result<readonly StreamEvent[], EngineRejection> {
  const { run } = aggregate;
  const awaited = run.status === 'unborn' ? null : openExecution(run);
  const about = command.type === 'fail_dispatch' ? (command.execution ?? awaited) : awaited;
  if (about !== null && ofUnclaimed.includes(command.type) && isClaimed(aggregate, about)) {
    return err({ code: 'job.stale', execution: about });
  }
  return decideRun(run, informed(aggregate, command));
}

/** What a run asks about its executions, which are not in its own state. */
function informed(aggregate: RunAggregate, command: RunCommand): RunCommand {
  if (command.type === 'cancel') return { ...command, leased: isHeld(aggregate) };
  if (command.type === 'fire_timer') return { ...command, claimed: isHeld(aggregate) };
  return command;
}

/** Whether a host holds the execution that the run awaits now. */
function isHeld({ run, executions }: RunAggregate): boolean {
  if (run.status === 'unborn') return false;
  const awaited = openExecution(run);
  return awaited !== null && isClaimed({ executions }, awaited);
}

const isClaimed = ({ executions }: Pick<RunAggregate, 'executions'>, execution: ExecutionId) =>
  executions.some(({ id, status }) => id === execution && status !== 'DISPATCHED');

/** The fence is counted where it cannot be raced: inside the decision (C3, X6). */
function numbered(aggregate: RunAggregate, command: ExecutionCommand): ExecutionCommand {
  if (command.type !== 'claim' || aggregate.run.status === 'unborn') return command;
  return { ...command, fence: (aggregate.run.counters.fence + 1) as Fence };
}

function accept(progress: Progress, events: readonly StreamEvent[]): void {
  for (const event of events) {
    progress.events.push(event);
    const moved = isExecutionEvent(event) ? foldExecution(progress.aggregate, event) : null;
    if (moved !== null) progress.touched.set(moved.id, moved);
    progress.aggregate = foldEvolve(progress.aggregate, event);
    follows(progress, event);
  }
}

/** What has to be decided next, or written beside the event, because of it. */
function follows(progress: Progress, event: StreamEvent): void {
  if (!isExecutionEvent(event)) {
    for (const work of react(progress.aggregate.run, event)) take(progress, work);
    return;
  }
  for (const one of referencesOf(event)) progress.works.push({ kind: 'reference', ...one });
  if (event.type === 'execution.asked') progress.queue.push(asked(progress, event));
  const end = endOf(event);
  if (end !== null) progress.queue.push(ended(progress, event.id, end));
}

function take(progress: Progress, work: Work): void {
  progress.works.push(work);
  const { queue, at } = progress;
  switch (work.kind) {
    case 'cancel_execution':
      queue.push({ kind: 'cancel', execution: work.execution });
      break;
    case 'lose_execution':
      queue.push({ kind: 'execution', execution: work.execution, command: lost(work.detail, at) });
      break;
    case 'answer_execution': {
      const { execution, answer } = work;
      queue.push({ kind: 'execution', execution, command: { type: 'answer', answer, at } });
      break;
    }
    case 'reconcile_executions':
      queue.push({ kind: 'reconcile', happened: work.happened });
      break;
    case 'dispatch': {
      const { execution, n } = work;
      const { run } = progress.aggregate;
      const command = { type: 'dispatch', id: execution, n, job: jobOf(work, run), at } as const;
      queue.push({ kind: 'execution', execution, command });
      break;
    }
    default:
      break;
  }
}

const lost = (detail: string, at: Instant): ExecutionCommand => ({
  type: 'lose',
  class: 'unknown_outcome',
  proof: 'unproven',
  detail,
  at,
});

function asked({ at }: Progress, event: AskedEvent): Step {
  const { id: execution, ask } = event;
  const command = { type: 'open_permission', execution, ask, at } as const;
  return { kind: 'run', command: { ...command, principal: driverPrincipal } };
}

function ended({ at, fraction }: Progress, execution: ExecutionId, end: JobEnd): Step {
  const issued = { at, principal: driverPrincipal };
  const jitter = fraction === undefined ? {} : { fraction };
  return { kind: 'run', command: { type: 'job_ended', execution, end, ...issued, ...jitter } };
}
