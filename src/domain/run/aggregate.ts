import type { ExecutionEvent } from '../execution/message.ts';
import type { Execution } from '../execution/state.ts';
import type { RunEvent } from './message.ts';
import type { RunState } from './state.ts';

/**
 * All that one stream decides on: the run, its executions that have not ended, and the last few
 * that have, so that a repeated seal is acknowledged again. Folded by `engine/fold.ts`.
 */
export interface RunAggregate {
  readonly run: RunState;
  readonly executions: readonly Execution[];
}

export type StreamEvent = RunEvent | ExecutionEvent;
