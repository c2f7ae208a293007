import type { Execution } from '../execution/state.ts';
import type { ExecutionId } from '../ids.ts';
import type { RunAggregate } from './aggregate.ts';
import { openExecution } from './evolve.ts';

export interface Adoption {
  /** The execution that was lost and has sealed after all. */
  readonly from: Execution;
  /** The one that replaces it, and takes its result. */
  readonly by: ExecutionId;
}

/**
 * Whose the late result of a lost execution is (X7): its direct successor's, while the run awaits
 * that one and nothing was adopted in the attempt yet; the same again is the same adopter's. Null:
 * nobody's, it stays evidence.
 */
export function adoptionOf({ run, executions }: RunAggregate, lost: ExecutionId): Adoption | null {
  const from = executions.find(({ id }) => id === lost);
  const next = executions.find(({ n }) => from !== undefined && n === from.n + 1);
  if (run.status === 'unborn' || from === undefined || next === undefined) return null;
  const isAwaited = openExecution(run) === next.id && run.adoptedIn !== next.job.attempt;
  return isAwaited || next.adopted === from.id ? { from, by: next.id } : null;
}
