/** How long anyone waits for a busy store before the user hears of it. */
export const patienceMs = 10_000;

const pauseFirstMs = 4;
const pauseMaxMs = 250;

/**
 * Length of the n-th pause: doubles, with jitter, so that many who wait do not come back at once.
 */
export const pauseMs = (tries: number, fraction: number): number =>
  Math.min(pauseMaxMs, pauseFirstMs * 2 ** Math.min(tries, 10)) * (0.5 + fraction);
