/** What the events of a stream mean: the projection is this fold and nothing else. */
import { evolve as evolveExecution } from '../domain/execution/evolve.ts';
import type { ExecutionEvent } from '../domain/execution/message.ts';
import type { Execution } from '../domain/execution/state.ts';
import type { RunAggregate } from '../domain/run/aggregate.ts';
import { evolveStream, initialAggregate } from '../domain/run/stream.ts';

export { hasEnded, isExecutionEvent } from '../domain/run/stream.ts';

export const emptyAggregate: RunAggregate = initialAggregate;

/** Believes every event. */
export const foldEvolve = evolveStream;

/** The execution after this event; null when it is no event of an execution that was dispatched. */
export function foldExecution(aggregate: RunAggregate, event: ExecutionEvent): Execution | null {
  const before = aggregate.executions.find(({ id }) => id === event.id) ?? null;
  if (before === null && event.type !== 'execution.dispatched') return null;
  return evolveExecution(before, event);
}
