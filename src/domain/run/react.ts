import type { RunEvent, Work } from './message.ts';
import type { RunState } from './state.ts';

/** Pure: the rows that an event calls for; `state` is the run after the event. */
export declare function react(state: RunState, event: RunEvent): readonly Work[];
