import type { ExecutionEvent } from './message.ts';
import type { Execution } from './state.ts';

export declare function evolve(state: Execution | null, event: ExecutionEvent): Execution | null;
