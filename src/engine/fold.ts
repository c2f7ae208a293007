/**
 * The fold of one stream: the run and its executions side by side. What the events mean is said by
 * the two machines; here only their states are kept together. The projection is this fold and
 * nothing else (C1).
 */
import { evolve as evolveExecution } from '../domain/execution/evolve.ts';
import type { ExecutionEvent } from '../domain/execution/message.ts';
import type { Execution } from '../domain/execution/state.ts';
import type { RunAggregate, StreamEvent } from '../domain/run/aggregate.ts';
import { evolve as evolveRun, initialRun } from '../domain/run/evolve.ts';
import type { RunState } from '../domain/run/state.ts';

export const emptyAggregate: RunAggregate = { run: initialRun, executions: [] };

/** Ended executions that are kept, so that the same seal again can be acknowledged again (X4). */
const endedKept = 3;
/** Of the executions that nobody can prove ended; the run lists the rest by id. */
const unknownKept = 50;

export const isExecutionEvent = (event: StreamEvent): event is ExecutionEvent =>
  event.type.startsWith('execution.');

/** It never changes again. UNKNOWN has not ended: it waits for reconciliation (X5). */
export const hasEnded = ({ status }: Pick<Execution, 'status'>): boolean =>
  ['SUCCEEDED', 'FAILED', 'CANCELLED', 'EXHAUSTED'].includes(status);

/** Believes every event. */
export function foldEvolve(aggregate: RunAggregate, event: StreamEvent): RunAggregate {
  if (!isExecutionEvent(event)) return { ...aggregate, run: evolveRun(aggregate.run, event) };
  const moved = foldExecution(aggregate, event);
  if (moved === null) return aggregate;
  const others = aggregate.executions.filter(({ id }) => id !== event.id);
  const executions = bounded([...others, moved].sort((a, b) => a.n - b.n));
  const known = withMaker(withFence(aggregate.run, event), event, moved);
  return { run: withAdoption(known, event, moved), executions };
}

/** The execution after this event; null when it is no event of an execution that was dispatched. */
export function foldExecution(aggregate: RunAggregate, event: ExecutionEvent): Execution | null {
  const before = aggregate.executions.find(({ id }) => id === event.id) ?? null;
  if (before === null && event.type !== 'execution.dispatched') return null;
  return evolveExecution(before, event);
}

/** Open ones all stay. */
function bounded(executions: readonly Execution[]): readonly Execution[] {
  const isUnknown = ({ status }: Execution) => status === 'UNKNOWN';
  const ended = new Set(executions.filter(hasEnded).slice(0, -endedKept));
  const unknown = new Set(executions.filter(isUnknown).slice(0, -unknownKept));
  return executions.filter((execution) => !ended.has(execution) && !unknown.has(execution));
}

/** The run shows the fence of its newest grant, which only an execution's event tells (C3, X6). */
function withFence(run: RunState, event: ExecutionEvent): RunState {
  if (run.status === 'unborn' || event.type !== 'execution.leased') return run;
  const fence = Math.max(run.counters.fence, event.grant.fence);
  return { ...run, counters: { ...run.counters, fence } };
}

/** Whoever held the newest turn of a lane has made what is judged next, also by a late seal. */
function withMaker(run: RunState, event: ExecutionEvent, { job }: Execution): RunState {
  const isTurn = event.type === 'execution.leased' && job.role === 'execute';
  if (run.status === 'unborn' || !isTurn) return run;
  return { ...run, madeBy: event.grant.holder.worker };
}

/** One attempt adopts at most once, however many of its executions were lost (X7). */
function withAdoption(run: RunState, event: ExecutionEvent, { job }: Execution): RunState {
  if (run.status === 'unborn' || event.type !== 'execution.succeeded') return run;
  return event.adopted === undefined ? run : { ...run, adoptedIn: job.attempt };
}
