/** The one-letter states of a process in /proc, as proc(5) names them. */

/** It runs or can run; one that is dead and only waits to be collected cannot. */
export const isLivingState = (state: string): boolean => state !== 'Z' && state !== 'X';

/** Stopped by a signal, or by whoever traces it. */
export const isStoppedState = (state: string): boolean => state === 'T' || state === 't';
