/**
 * Names of the seats of a store. Where one driver is elected there is one seat `driver`; where any
 * number drives each holds `driver:<who>`, and what one of them does for all, or for one state
 * folder, is a seat of its own.
 */
export type SeatName =
  | 'driver'
  | 'checks'
  /** Whoever holds it tells people what needs them. */
  | 'notices'
  /** Held for moments: who gives slots of groups away, so that none is given twice. */
  | 'slots'
  | `driver:${string}`
  | `checks:${string}`
  /** Looks after the hosts of one state folder of one machine. */
  | `keeper:${string}`;

/** Whether its holder pulls work. */
export const isDriverSeat = ({ seat }: { readonly seat: string }): boolean =>
  seat === 'driver' || seat.startsWith('driver:');
