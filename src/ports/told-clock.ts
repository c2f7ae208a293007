/**
 * A clock whose wall time is told by another: by the database to its servers, by a server to its
 * workers. Machines whose own wall clocks differ then mean the same instants, and a wall clock that
 * is set changes nothing. Between two tellings it goes on by the time that passes here, sleep of
 * the machine counted; until it was told once it says what its own machine does.
 */
import type { Instant } from '../domain/ids.ts';
import type { Clock } from './clock.ts';

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
  readonly uptimeMs: number | null;
  /** How far the other's time may be from `at`. */
  readonly errorMs: number;
}

/** A telling that took longer does not replace one that was quicker, while that one is young. */
const youngMs = 60_000;
const goodErrorMs = 50;
/** What two clocks of one machine may differ by without a sleep between them. */
const sleptMsMin = 1_000;

export function toldClock(own: Clock): ToldClock {
  let anchor: Anchor | null = null;
  const passedSince = ({ monotonicMs, uptimeMs }: Anchor): number => {
    const passedMs = own.monotonicMs() - monotonicMs;
    const upMs = own.uptimeMs?.() ?? null;
    if (uptimeMs === null || upMs === null) return passedMs;
    const sleptMs = upMs - uptimeMs - passedMs;
    return sleptMs < sleptMsMin ? passedMs : passedMs + sleptMs;
  };
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
        uptimeMs: own.uptimeMs?.() ?? null,
      };
    },
  };

  function isYoung(one: Anchor): boolean {
    return passedSince(one) < youngMs;
  }
}
