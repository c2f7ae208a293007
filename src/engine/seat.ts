/**
 * The election of the one driver of a store: a row that its holder keeps by beating. A holder that
 * is proven dead (other boot, pid gone or reused) is followed at once; one that lives but whose
 * beat stands still is followed only after two looks, a whole ttl apart on our own monotonic clock,
 * and a gap between looks that is much longer than planned (the machine slept) starts the count
 * anew.
 */
import type { Holder } from '../domain/execution/state.ts';
import type { CancelSignal } from '../kernel/cancel-signal.ts';
import type { Clock } from '../ports/clock.ts';
import type { Processes } from '../ports/processes.ts';
import type { Seat, SeatRow, Store } from '../ports/store.ts';

/** A seat whose beat stands still for a ttl, in two looks, is silent. */
export const seatFigures = { beatMs: 5_000, ttlMs: 30_000 } as const;

export interface SeatOptions {
  readonly store: Pick<Store, 'takeSeat' | 'beatSeat' | 'leaveSeat'>;
  readonly clock: Clock;
  readonly processes: Pick<Processes, 'lives'>;
  readonly seat: Seat;
  readonly beatMs: number;
  readonly ttlMs: number;
  /** Wait for the seat for as long as it takes, instead of leaving it to a holder that beats. */
  readonly standBy: boolean;
}

/** True when the seat is ours; false when a living holder keeps it or the signal came. */
export async function takeSeat(options: SeatOptions, signal: CancelSignal): Promise<boolean> {
  const { store, clock, seat, beatMs } = options;
  const look = holderWatch(options);
  let takeOver: SeatRow | null = null;
  while (!signal.aborted) {
    const { ours, row } = await store.takeSeat(seat, takeOver);
    if (ours) return true;
    const seen: HolderSeen = row === null ? 'unsure' : look(row);
    if (seen === 'beating' && !options.standBy) return false;
    takeOver = isVacant(seen) ? row : null;
    await clock.sleep(takeOver === null ? beatMs : beatMs / 50, signal);
  }
  return false;
}

const isVacant = (seen: HolderSeen): boolean => seen === 'gone' || seen === 'silent';

/**
 * Beats until the signal; resolves early, with false, when the seat is no longer ours. A beat that
 * cannot be written is told, with the time since the last one that was.
 */
export async function keepSeat(
  options: SeatOptions,
  signal: CancelSignal,
  failed: (error: unknown, forMs: number) => void,
): Promise<boolean> {
  const { monotonicMs } = options.clock;
  let goodAtMs = monotonicMs();
  while (!signal.aborted) {
    await options.clock.sleep(options.beatMs, signal);
    if (signal.aborted) break;
    try {
      if (!(await options.store.beatSeat(options.seat))) return false;
      goodAtMs = monotonicMs();
    } catch (error: unknown) {
      // A busy store is no loss of the seat: a follower needs a whole ttl of silence.
      failed(error, monotonicMs() - goodAtMs);
    }
  }
  return true;
}

export type HolderSeen = 'gone' | 'beating' | 'silent' | 'unsure';

export function holderWatch(
  options: Pick<SeatOptions, 'clock' | 'processes' | 'ttlMs' | 'beatMs'>,
): (row: SeatRow) => HolderSeen {
  const { clock, processes, ttlMs, beatMs } = options;
  let first: { readonly row: SeatRow; readonly atMs: number } | null = null;
  let lookedAtMs = 0;
  return (row) => {
    if (!processes.lives(row.holder)) return 'gone';
    const now = clock.monotonicMs();
    const slept = now - lookedAtMs > 4 * beatMs + ttlMs;
    lookedAtMs = now;
    if (first === null || slept) first = { row, atMs: now };
    if (!isSame(first.row, row)) {
      first = { row, atMs: now };
      return 'beating';
    }
    return now - first.atMs >= ttlMs ? 'silent' : 'unsure';
  };
}

export interface SeatSigns {
  /** Of a process elsewhere: nothing says that it does not. */
  readonly lives: (holder: Holder) => boolean;
  /** It lives and is not run by its machine: stopped by a signal. */
  readonly stopped: (holder: Holder) => boolean;
}

/**
 * Whether who holds a seat is there to do its work, as far as whoever looks can know: it lives, is
 * not stopped, and its beat did not stand still for a whole ttl under our eyes.
 */
export function attendance(
  { lives, stopped }: SeatSigns,
  figures: Pick<SeatOptions, 'clock' | 'ttlMs' | 'beatMs'>,
): (row: SeatRow) => boolean {
  const watches = new Map<string, (row: SeatRow) => HolderSeen>();
  const watchOf = (seat: string) => {
    const known = watches.get(seat) ?? holderWatch({ ...figures, processes: { lives } });
    if (watches.size >= watchedMax) watches.clear();
    watches.set(seat, known);
    return known;
  };
  return (row) => !stopped(row.holder) && !isVacant(watchOf(row.seat)(row));
}

const watchedMax = 256;

const isSame = (a: SeatRow, b: SeatRow): boolean =>
  a.beat === b.beat &&
  a.holder.pid === b.holder.pid &&
  a.holder.started === b.holder.started &&
  a.holder.bootId === b.holder.bootId;
