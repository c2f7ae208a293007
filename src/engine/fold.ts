/** What the events of a stream mean: the projection is this fold and nothing else. */
import { evolve as evolveExecution } from '../domain/execution/evolve.ts';
import type { ExecutionEvent } from '../domain/execution/message.ts';
import type { Execution, ExecutionStatus } from '../domain/execution/state.ts';
import type { RunAggregate, StreamEvent } from '../domain/run/aggregate.ts';
import { evolve as evolveRun } from '../domain/run/evolve.ts';
import type { RunState } from '../domain/run/state.ts';

export const emptyAggregate: RunAggregate = { run: { status: 'unborn' }, executions: [] };

/** UNKNOWN is not among them: it waits for reconciliation (X5). */
const endedStatuses: readonly ExecutionStatus[] = ['SUCCEEDED', 'FAILED', 'CANCELLED', 'EXHAUSTED'];

export const isEnded = (execution: Execution): boolean => endedStatuses.includes(execution.status);

export const isExecutionEvent = (event: StreamEvent): event is ExecutionEvent =>
  event.type.startsWith('execution.');

/** Believes every event; executions that have ended leave the aggregate. */
export function foldEvolve(aggregate: RunAggregate, event: StreamEvent): RunAggregate {
  if (!isExecutionEvent(event)) return { ...aggregate, run: evolveRun(aggregate.run, event) };
  const moved = foldExecution(aggregate, event);
  const others = aggregate.executions.filter(({ id }) => id !== event.id);
  return {
    run: withFence(aggregate.run, event),
    executions: moved === null || isEnded(moved) ? others : [...others, moved],
  };
}

/** The execution after this event; null when it is no event of an execution that was dispatched. */
export function foldExecution(aggregate: RunAggregate, event: ExecutionEvent): Execution | null {
  return evolveExecution(aggregate.executions.find(({ id }) => id === event.id) ?? null, event);
}

/** The run shows the fence of its newest grant, which only an execution's event tells. */
function withFence(run: RunState, event: ExecutionEvent): RunState {
  if (event.type !== 'execution.leased' || run.status === 'unborn') return run;
  return { ...run, counters: { ...run.counters, fence: event.grant.fence } };
}
