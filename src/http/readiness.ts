/** Whether work that is sent here would be done: the store answers, and somebody drives it. */
import { isDriverSeat } from '../kernel/driver-seats.ts';
import { ProductError } from '../kernel/errors.ts';
import type { SeatRow, Store } from '../ports/store.ts';
import type { Readiness } from './health-routes.ts';

export interface ReadinessOptions {
  readonly store: Pick<Store, 'seats'>;
  readonly isDraining: () => boolean;
  /** Whether the driver of this process runs: in the seat, or standing by for it. */
  readonly drives: () => boolean;
}

export async function readiness(options: ReadinessOptions): Promise<Readiness> {
  const store = await storeCheck(options.store);
  const isDraining = options.isDraining();
  const accepting = isDraining
    ? { ok: false, detail: 'it was asked to leave' }
    : ({ ok: true } as const);
  const driver = options.drives()
    ? { ok: true, detail: store.seat }
    : { ok: false, detail: 'the driver of this process has ended' };
  const checks = { store: store.check, driver, accepting };
  return { ready: Object.values(checks).every(({ ok }) => ok), checks };
}

/** A format that is newer than this program is refused by the store itself, at every call. */
async function storeCheck(store: Pick<Store, 'seats'>) {
  try {
    const seats = await store.seats();
    return { check: { ok: true } as const, seat: seatWords(seats.filter(isDriverSeat)) };
  } catch (error: unknown) {
    // Anyone may ask, and a message may name hosts and users: the code alone is told.
    const detail = error instanceof ProductError ? error.code : 'the store failed';
    return { check: { ok: false, detail }, seat: 'unknown' };
  }
}

/** Those that died a moment ago are still counted: their seats go with the next sweep. */
function seatWords([held, ...others]: readonly SeatRow[]): string {
  if (held === undefined) return 'the seat is free';
  if (held.seat === 'driver') return `pid ${held.holder.pid} has the seat`;
  return others.length === 0 ? '1 drives' : `${others.length + 1} drive`;
}
