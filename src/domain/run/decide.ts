import type { Result } from '../../kernel/result.ts';
import type { RunCommand, RunEvent, RunRejection } from './message.ts';
import type { RunState } from './state.ts';

export declare function decide(
  state: RunState,
  command: RunCommand,
): Result<readonly RunEvent[], RunRejection>;
