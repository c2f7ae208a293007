/**
 * Full-jitter back-off: uniform between nothing and a ceiling that doubles, so that many callers
 * spread.
 */

export interface BackOff {
  /** Tries already spent; the first back-off follows try 1. */
  readonly tries: number;
  readonly baseMs: number;
  readonly mostMs: number;
  /** Uniform in [0, 1]; 1 waits the whole ceiling. */
  readonly fraction: number;
}

/** Never less than a tenth of the base, so that a chance of 0 is not a busy loop. */
export function backOffMs({ tries, baseMs, mostMs, fraction }: BackOff): number {
  const ceiling = Math.min(mostMs, baseMs * 2 ** Math.min(Math.max(0, tries - 1), 30));
  const share = Math.min(1, Math.max(0, fraction));
  return Math.max(Math.round(baseMs / 10), Math.round(ceiling * share));
}
