/**
 * A clock whose wall time is told by another: by the database to its servers, by a server to its
 * workers. Machines whose own wall clocks differ then mean the same instants, and a wall clock that
 * is set changes nothing. Between two tellings it goes on by the time that passes here, sleep of
 * the machine counted; until it was told once it says what its own machine does.
 */
import type { Instant } from '../domain/ids.ts';
import type { Clock } from './clock.ts';
import { sleptSince } from './slept.ts';

export interface Telling {
  /** The other's wall time, somewhere between the two. */
  readonly at: number;
  /** On the own monotonic clock: before it was asked, and after it was heard. */
  readonly sentMs: number;
  readonly heardMs: number;
}

export interface ToldClock {
  readonly clock: Clock;
  heard(telling: Telling): void;
}

interface Anchor {
  readonly at: number;
  readonly monotonicMs: number;
  /** Of this machine, since then. */
  readonly sleptMs: () => number;
  /** How far the other's time may be from `at`. */
  readonly errorMs: number;
}

/** A telling that took longer does not replace one that was quicker, while that one is young. */
const youngMs = 60_000;
const goodErrorMs = 50;

export function toldClock(own: Clock): ToldClock {
  let anchor: Anchor | null = null;
  const passedSince = ({ monotonicMs, sleptMs }: Anchor): number =>
    own.monotonicMs() - monotonicMs + sleptMs();
  return {
    clock: {
      ...own,
      now: () =>
        anchor === null ? own.now() : (Math.round(anchor.at + passedSince(anchor)) as Instant),
    },
    heard: ({ at, sentMs, heardMs }) => {
      const errorMs = (heardMs - sentMs) / 2;
      const isKept =
        anchor !== null && errorMs > Math.max(anchor.errorMs, goodErrorMs) && isYoung(anchor);
      if (isKept) return;
      const monotonicMs = own.monotonicMs();
      anchor = {
        at: at + errorMs + (monotonicMs - heardMs),
        ...{ monotonicMs, errorMs },
        sleptMs: sleptSince(own),
      };
    },
  };

  function isYoung(one: Anchor): boolean {
    return passedSince(one) < youngMs;
  }
}
