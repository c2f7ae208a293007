import type { Result } from '../../kernel/result.ts';
import type { ExecutionCommand, ExecutionEvent, ExecutionRejection } from './message.ts';
import type { Execution } from './state.ts';

/** Null: not dispatched yet. */
export declare function decide(
  state: Execution | null,
  command: ExecutionCommand,
): Result<readonly ExecutionEvent[], ExecutionRejection>;
