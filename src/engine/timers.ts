/**
 * The puller of timers that are due. A fire is an ordinary command; the decision says whether its
 * generation still counts, and its rows move or clear the timer.
 */
import type { DueTimer } from '../ports/store.ts';
import { driverPrincipal, runCommand } from './command.ts';
import type { Engine } from './engine.ts';
import { messageOf } from './words.ts';

const timersMax = 128;

export interface TimerPuller {
  /** Fires what is due now; answers how many. One run's failure does not stop the others. */
  pull(): Promise<number>;
}

export function timerPuller(engine: Engine, log: (line: string) => void): TimerPuller {
  const fire = async (timer: DueTimer): Promise<void> => {
    const { run, kind, generation } = timer;
    try {
      const request = { type: 'fire_timer', kind, generation } as const;
      await engine.issue(runCommand(run, driverPrincipal, engine.clock.now(), request));
    } catch (error: unknown) {
      log(`${run} timer ${kind}: ${messageOf(error)}`);
    }
  };
  return {
    pull: async () => {
      const due = await engine.store.timersDue(engine.clock.now(), timersMax);
      await Promise.all(due.map(fire));
      return due.length;
    },
  };
}
