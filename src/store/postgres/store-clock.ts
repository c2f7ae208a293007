/**
 * The wall clock of all processes of one database: the database's own. Servers on machines whose
 * clocks differ then fire timers, make offers and prove tokens by one time.
 */
import type { Clock } from '../../ports/clock.ts';
import { toldClock } from '../../ports/told-clock.ts';
import { query } from '../query.ts';
import type { Session } from './connect.ts';

/** Not `now()`: that stands still within a transaction. */
export const readClock = query<[], { readonly at: number }>(
  'select (extract(epoch from clock_timestamp()) * 1000)::float8 as at',
);

const everyMs = 10_000;

export interface StoreClock {
  readonly clock: Clock;
  /** Asks now, besides the regular looks. */
  ask(): Promise<void>;
  end(): void;
}

type With = <T>(action: (session: Session) => Promise<T>) => Promise<T>;

export function storeClock(own: Clock, withSession: With): StoreClock {
  const told = toldClock(own);
  const ask = () =>
    withSession(async (session) => {
      const sentMs = own.monotonicMs();
      const [row] = await session.all(readClock);
      if (row !== undefined) told.heard({ at: row.at, sentMs, heardMs: own.monotonicMs() });
    });
  // A database that cannot be asked is told of by whoever needs it; the clock goes on meanwhile.
  const timer = setInterval(() => void ask().catch(() => undefined), everyMs);
  timer.unref();
  return { clock: told.clock, ask, end: () => clearInterval(timer) };
}
