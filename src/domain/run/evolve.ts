import type { RunEvent } from './message.ts';
import type { RunState } from './state.ts';

export const initialRun: RunState = { status: 'unborn' };
export declare function evolve(state: RunState, event: RunEvent): RunState;
