/**
 * Notices that the machine slept, before a timer fires over it: the clock of the machine went on,
 * and ours stood still. A wall clock that was set is no sleep. Every active run is told, so that
 * its deadlines do not count it and its views say it (UX 3.2).
 */
import type { Instant } from '../domain/ids.ts';
import { driverPrincipal, runCommand } from './command.ts';
import type { Engine } from './engine.ts';
import { messageOf } from './words.ts';

const sleptMsMin = 30_000;
/** Where our clock goes on in sleep, a turn that took this long tells the same. */
const turnMsMax = 120_000;
const runsMax = 500;

export interface SleepWatch {
  turn(): Promise<void>;
}

export function sleepWatch(engine: Engine, log: (line: string) => void): SleepWatch {
  const { clock, store } = engine;
  const reading = () => ({ monotonic: clock.monotonicMs(), uptime: clock.uptimeMs?.() ?? null });
  let before = reading();

  const tell = async (sleptMs: number): Promise<void> => {
    const until = clock.now();
    const since = (until - Math.round(sleptMs)) as Instant;
    log(`the machine slept for ${Math.round(sleptMs / 1000)} s; clocks adjusted`);
    for (const { id } of await store.runs({ status: ['active'], limit: runsMax })) {
      try {
        const request = { type: 'record_sleep', since, until } as const;
        await engine.issue(runCommand(id, driverPrincipal, until, request));
      } catch (error: unknown) {
        log(`${id} sleep: ${messageOf(error)}`);
      }
    }
  };

  return {
    turn: async () => {
      const now = reading();
      const sleptMs = sleptBetween(before, now);
      before = now;
      if (sleptMs >= sleptMsMin) await tell(sleptMs);
    },
  };
}

interface Reading {
  readonly monotonic: number;
  readonly uptime: number | null;
}

/** 0 where the machine does not tell how long it is up. */
export function sleptBetween(before: Reading, now: Reading): number {
  if (before.uptime === null || now.uptime === null) return 0;
  const turnMs = now.monotonic - before.monotonic;
  return Math.max(now.uptime - before.uptime - turnMs, turnMs > turnMsMax ? turnMs : 0);
}
