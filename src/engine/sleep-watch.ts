/**
 * Notices that the machine slept, before a timer fires over it: the clock of the machine went on,
 * and ours stood still. A wall clock that was set is no sleep. Every active run is told, so that
 * its deadlines do not count it and its views say it (UX 3.2). Where machines share the store, one
 * driver of this one tells the runs that worked here: the others did not sleep.
 */
import type { Instant, RunId } from '../domain/ids.ts';
import { driverPrincipal, runCommand } from './command.ts';
import type { Engine } from './engine.ts';
import { messageOf } from './words.ts';

const sleptMsMin = 30_000;
/** Where our clock goes on in sleep, a turn that took this long tells the same. */
const turnMsMax = 120_000;
const runsMax = 500;

export interface SleepTeller {
  readonly isOurs: () => boolean;
  /** Name of this machine in holders; null: there is no other. */
  readonly worker: string | null;
}

export interface SleepWatch {
  turn(): Promise<void>;
}

export function sleepWatch(
  engine: Engine,
  log: (line: string) => void,
  who: SleepTeller = { isOurs: () => true, worker: null },
): SleepWatch {
  const { clock, store } = engine;
  const reading = () => ({ monotonic: clock.monotonicMs(), uptime: clock.uptimeMs?.() ?? null });
  let before = reading();

  const tell = async (sleptMs: number): Promise<void> => {
    const until = clock.now();
    const since = (until - Math.round(sleptMs)) as Instant;
    log(`the machine slept for ${Math.round(sleptMs / 1000)} s; clocks adjusted`);
    const here = await workedHere(engine, who.worker);
    for (const { id } of await store.runs({ status: ['active'], limit: runsMax })) {
      if (here !== null && !here.has(id)) continue;
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
      if (sleptMs >= sleptMsMin && who.isOurs()) await tell(sleptMs);
    },
  };
}

/** Null: every run does, there is one machine. */
async function workedHere(
  { store }: Pick<Engine, 'store'>,
  worker: string | null,
): Promise<ReadonlySet<RunId> | null> {
  if (worker === null) return null;
  const open = await store.openExecutions();
  return new Set(open.filter(({ lease }) => lease?.holder.worker === worker).map(({ run }) => run));
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
