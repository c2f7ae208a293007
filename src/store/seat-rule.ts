import type { Seat, SeatRow } from '../ports/store.ts';

/** A pid alone is no identity: the start time and the boot tell a reused one apart (L-K5). */
export const sameHolder = (a: Pick<Seat, 'holder'>, b: Pick<Seat, 'holder'>): boolean =>
  a.holder.bootId === b.holder.bootId &&
  a.holder.pid === b.holder.pid &&
  a.holder.started === b.holder.started;

/** What {@link sameHolder} compares, as statements take it. */
export const holderKey = ({ holder }: Pick<Seat, 'holder'>) =>
  [holder.bootId, holder.pid, holder.started] as const;

/**
 * Whether a seat held by another may be taken: only the very row that the taker looked at, and only
 * while its beat stands where he saw it; a holder that has beaten since is not dead.
 */
export const mayTakeOver = (row: SeatRow, takeOver: SeatRow | null): boolean =>
  takeOver !== null && sameHolder(row, takeOver) && row.beat === takeOver.beat;
