/**
 * A driver whose store refused everything for a while leaves, and the next command that finds work
 * starts another. A server has nobody who would: it drives again until the store is back.
 */
import type { DriverEnd } from '../engine/driver.ts';
import { ProductError } from '../kernel/errors.ts';
import { isTooOld } from '../kernel/too-old.ts';
import type { Clock } from '../ports/clock.ts';

/** Between two drivers; each of them bears a silent store for a minute besides. */
const pauseMs = 5_000;
/** A driver that lasted longer than that had a store that answered. */
const goodMs = 120_000;
/** As long as a store without space is waited for. */
const absentMsMax = 12 * 3_600_000;

export interface Driving {
  readonly clock: Pick<Clock, 'monotonicMs' | 'sleep'>;
  readonly signal: AbortSignal;
  /** One driver, until it leaves. */
  readonly drive: () => Promise<DriverEnd>;
  /** It left for that, and is followed by another. */
  readonly broken: (trouble: ProductError) => void;
}

/**
 * Until a driver leaves by itself, or by the signal.
 * @throws what the store throws: when a later program has migrated it, or after 12 h of it.
 */
export async function keptDriving({ clock, signal, drive, broken }: Driving): Promise<DriverEnd> {
  const absence = absenceOf(clock);
  while (!signal.aborted) {
    absence.driving();
    try {
      return await drive();
    } catch (error: unknown) {
      if (!mayComeBack(error) || absence.isOver()) throw error;
      broken(error);
    }
    await clock.sleep(pauseMs, signal);
  }
  return { why: 'asked' };
}

const mayComeBack = (error: unknown): error is ProductError =>
  error instanceof ProductError && !isTooOld(error);

function absenceOf({ monotonicMs }: Driving['clock']) {
  let beganAtMs = 0;
  let sinceMs: number | null = null;
  return {
    driving: (): void => {
      beganAtMs = monotonicMs();
    },
    /** To be asked when a driver broke. */
    isOver: (): boolean => {
      const nowMs = monotonicMs();
      if (sinceMs === null || nowMs - beganAtMs > goodMs) sinceMs = nowMs;
      return nowMs - sinceMs >= absentMsMax;
    },
  };
}
