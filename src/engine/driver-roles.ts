/**
 * What a driver does among others of a store that machines share (DESIGN §2): each pulls rows and
 * claims them as it takes them; what is done once for all, or once for a state folder, belongs to
 * whoever has that seat. Where one driver is elected it has everything.
 */
import type { SeatName } from '../kernel/driver-seats.ts';
import type { ExecutionRow, Seat, Store } from '../ports/store.ts';
import type { Holder } from '../ports/words.ts';
import { onlyOne, type Role, role, seatCleaner, slotsTurn } from './role.ts';
import type { SeatOptions } from './seat.ts';

/** What the dispatcher has to know of others. */
export interface Among {
  /** Whether this driver looks after the check host and the hosts of its state folder. */
  readonly isKeeper: () => boolean;
  /** Of the check host of this state folder. */
  readonly checks: SeatName;
  /** Runs `act` while nobody else gives slots away; null: somebody does. */
  readonly slots: <T>(act: (turn: Seat | undefined) => Promise<T>) => Promise<T | null>;
  /** Whether what the execution needs lies on this machine. */
  readonly lies: (row: ExecutionRow) => Promise<boolean>;
}

/** There is no other. */
export const alone: Among = {
  isKeeper: () => true,
  checks: 'checks',
  slots: (act) => act(undefined),
  lies: async () => true,
};

export interface DriverRoles {
  /** Everything about the hosts, spools and checks of this state folder. */
  readonly keeper: Role;
  readonly notices: Role;
  readonly among: Among;
  /** Keeps what is ours and takes what is free. @throws what the store throws. */
  turn(): Promise<void>;
  /** Takes seats of the dead away. */
  clean(): Promise<void>;
  leave(): Promise<void>;
}

export interface Place {
  /** Names this state folder of this machine; see {@link Among}. */
  readonly name: string;
  readonly lies: Among['lies'];
}

const single: DriverRoles = {
  keeper: onlyOne,
  notices: onlyOne,
  among: alone,
  turn: async () => {},
  clean: async () => {},
  leave: async () => {},
};

/** `place` null: the store is of one machine. */
export function driverRoles(
  options: SeatOptions & { readonly store: Pick<Store, 'seats'> },
  place: Place | null,
): DriverRoles {
  if (place === null) return single;
  const seat = (name: SeatName): Seat => ({ ...options.seat, seat: name });
  const keeper = role({ ...options, seat: seat(`keeper:${place.name}`) });
  const notices = role({ ...options, seat: seat('notices') });
  const cleaner = seatCleaner({ ...options, own: options.seat });
  const slots = slotsTurn({ ...options, seat: seat('slots') });
  return {
    keeper,
    notices,
    among: {
      isKeeper: keeper.isOurs,
      checks: checksSeatOf(place.name),
      slots,
      lies: place.lies,
    },
    turn: async () => {
      await keeper.turn();
      await notices.turn();
    },
    clean: cleaner.clean,
    leave: async () => {
      await notices.leave();
      await keeper.leave();
    },
  };
}

export const checksSeatOf = (place: string): SeatName => `checks:${place}`;

/** One of many: its name is its process, so that nobody has to make room for it. */
export const ownDriverSeat = ({ bootId, pid, started }: Holder): SeatName =>
  `driver:${bootId.slice(0, 8)}.${pid}.${started}`;
