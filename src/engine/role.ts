/**
 * What one of several drivers does for all: a seat that is kept by the way, between the pullers. A
 * holder that is gone or silent is followed as in {@link takeSeat}; nobody waits for it.
 */
import type { Seat, SeatRow, Store } from '../ports/store.ts';
import { type HolderSeen, holderWatch, type SeatOptions } from './seat.ts';

export interface Role {
  /** Keeps or takes it when that is due. @throws what the store throws. */
  turn(): Promise<void>;
  /** Whether it was ours at the last turn. */
  isOurs(): boolean;
  leave(): Promise<void>;
}

/** Nobody waits for it, so none stands by. */
export type RoleOptions = Omit<SeatOptions, 'standBy'>;

/** Where there is one driver, everything is its own. */
export const onlyOne: Role = {
  turn: async () => {},
  isOurs: () => true,
  leave: async () => {},
};

export function role(options: RoleOptions): Role {
  const { store, clock, seat, beatMs } = options;
  const look = holderWatch(options);
  let isOurs = false;
  let nextAtMs = Number.NEGATIVE_INFINITY;

  const take = async (): Promise<boolean> => {
    const asked = await store.takeSeat(seat, null);
    if (asked.ours || asked.row === null) return asked.ours;
    const seen = look(asked.row);
    const isVacant = seen === 'gone' || seen === 'silent';
    return isVacant && (await store.takeSeat(seat, asked.row)).ours;
  };
  return {
    isOurs: () => isOurs,
    turn: async () => {
      const nowMs = clock.monotonicMs();
      if (nowMs < nextAtMs) return;
      nextAtMs = nowMs + (isOurs ? beatMs : Math.min(beatMs, lookMs));
      if (isOurs && (await store.beatSeat(seat))) return;
      isOurs = false;
      isOurs = await take();
    },
    leave: async () => {
      if (isOurs) await store.leaveSeat(seat);
      isOurs = false;
    },
  };
}

/** Between two looks at a seat that somebody else has. */
const lookMs = 1_000;

/** Removes the seats of drivers and hosts that are gone; each is told by its own beat. */
export function seatCleaner(
  options: Omit<RoleOptions, 'store' | 'seat'> & {
    readonly store: Pick<Store, 'takeSeat' | 'leaveSeat' | 'seats'>;
    readonly own: Seat;
  },
): { clean(): Promise<void> } {
  const { store, own } = options;
  let looks: ReadonlyMap<string, (row: SeatRow) => HolderSeen> = new Map();
  const remove = async (row: SeatRow): Promise<void> => {
    const seat: Seat = { ...own, seat: row.seat };
    if ((await store.takeSeat(seat, row)).ours) await store.leaveSeat(seat);
  };
  return {
    clean: async () => {
      const rows = (await store.seats()).filter((row) => row.seat !== own.seat);
      looks = new Map(rows.map(({ seat }) => [seat, looks.get(seat) ?? holderWatch(options)]));
      for (const row of rows) {
        const seen = looks.get(row.seat)?.(row);
        if (seen === 'gone' || seen === 'silent') await remove(row);
      }
    },
  };
}

const turnTries = 5;
const turnPauseMs = 20;

/**
 * The turn to give slots away: held while the slots are counted and the rows are offered, and named
 * in each offer, so that of two drivers never both give away the last one. Null: it is another's.
 */
export function slotsTurn(
  options: RoleOptions,
): <T>(act: (turn: Seat) => Promise<T>) => Promise<T | null> {
  const { clock, seat } = options;
  const holding = role({ ...options, beatMs: 0 });
  return async (act) => {
    for (let tries = 1; ; tries += 1) {
      await holding.turn();
      if (holding.isOurs()) break;
      if (tries >= turnTries) return null;
      await clock.sleep(turnPauseMs * tries);
    }
    try {
      return await act(seat);
    } finally {
      await holding.leave();
    }
  };
}
