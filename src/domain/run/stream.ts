/**
 * The fold of one stream: the run and its executions side by side. The deciders stay separate; here
 * only their states are kept together.
 */
import { evolve as evolveExecution } from '../execution/evolve.ts';
import type { ExecutionEvent } from '../execution/message.ts';
import type { Execution } from '../execution/state.ts';
import type { RunAggregate, StreamEvent } from './aggregate.ts';
import { evolve, initialRun } from './evolve.ts';
import type { RunEvent } from './message.ts';
import type { RunState } from './state.ts';

export const initialAggregate: RunAggregate = { run: initialRun, executions: [] };

/** Ended executions that are kept, so that the same seal again can be acknowledged again (X4). */
const endedKept = 3;
/** Of the executions that nobody can prove ended; the run lists the rest by id. */
const unknownKept = 50;

export function evolveStream(aggregate: RunAggregate, event: StreamEvent): RunAggregate {
  if (!isExecutionEvent(event)) return { ...aggregate, run: evolve(aggregate.run, event) };
  const before = aggregate.executions.find((execution) => execution.id === event.id) ?? null;
  if (before === null && event.type !== 'execution.dispatched') return aggregate;
  const execution = evolveExecution(before, event);
  const others = aggregate.executions.filter(({ id }) => id !== event.id);
  const executions = bounded([...others, execution].sort((a, b) => a.n - b.n));
  return { run: withFence(aggregate.run, event), executions };
}

export function foldStream(events: readonly StreamEvent[]): RunAggregate {
  return events.reduce(evolveStream, initialAggregate);
}

export function isExecutionEvent(event: StreamEvent): event is ExecutionEvent {
  return event.type.startsWith('execution.');
}

export function isRunEvent(event: StreamEvent): event is RunEvent {
  return !isExecutionEvent(event);
}

/** SUCCEEDED, FAILED, CANCELLED or EXHAUSTED: it never changes again. UNKNOWN has not ended. */
export function hasEnded({ status }: Pick<Execution, 'status'>): boolean {
  return (
    status === 'SUCCEEDED' ||
    status === 'FAILED' ||
    status === 'CANCELLED' ||
    status === 'EXHAUSTED'
  );
}

function bounded(executions: readonly Execution[]): readonly Execution[] {
  const ended = executions.filter(hasEnded).slice(-endedKept);
  const unknown = executions.filter(({ status }) => status === 'UNKNOWN').slice(-unknownKept);
  const kept = new Set([...ended, ...unknown]);
  return executions.filter(
    (execution) => kept.has(execution) || !(hasEnded(execution) || execution.status === 'UNKNOWN'),
  );
}

/** The run's counter follows the grants of its executions (X6). */
function withFence(run: RunState, event: ExecutionEvent): RunState {
  if (run.status === 'unborn' || event.type !== 'execution.leased') return run;
  const fence = Math.max(run.counters.fence, event.grant.fence);
  return { ...run, counters: { ...run.counters, fence } };
}
