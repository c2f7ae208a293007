/**
 * The puller of timers that are due. A fire is an ordinary command; the decision says whether its
 * generation still counts, and its rows move or clear the timer. Where several drivers pull, a fire
 * names the version of the run at which its timer was still the one that is due: of two that saw
 * the same timer one fires it, and the other hears that the run has moved.
 */
import type { RunId } from '../domain/ids.ts';
import type { DueTimer } from '../ports/store.ts';
import { driverPrincipal, runCommand } from './command.ts';
import type { Engine } from './engine.ts';
import { messageOf } from './words.ts';

const timersMax = 128;

export interface TimerPuller {
  /** Fires what is due now; answers how many. One run's failure does not stop the others. */
  pull(): Promise<number>;
}

/** Deadlines of who was asked to end. */
const ends: readonly DueTimer['kind'][] = ['attempt_time', 'cancel_deadline'];

/** `force` ends whom a run asked to end and who did not, as far as this machine can. */
export function timerPuller(
  engine: Engine,
  log: (line: string) => void,
  force: (run: RunId) => Promise<void> = async () => {},
): TimerPuller {
  const fire = async (timer: DueTimer): Promise<void> => {
    const { run, kind, generation } = timer;
    try {
      if (ends.includes(kind)) await force(run);
      const seen = engine.store.isShared ? await versionAt(engine, timer) : {};
      if (seen === null) return;
      const request = { type: 'fire_timer', kind, generation } as const;
      const command = runCommand(run, driverPrincipal, engine.clock.now(), request);
      await engine.issue({ ...command, ...seen });
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

/** The run is read first: whatever moves the timer after that moves the run as well. */
async function versionAt(
  { store }: Pick<Engine, 'store'>,
  { run, kind, generation, dueAt }: DueTimer,
): Promise<{ readonly expectedVersion: number } | null> {
  const loaded = await store.loadRun(run);
  if (loaded === null) return null;
  const isStill = (await store.timersOf(run)).some(
    (timer) => timer.kind === kind && timer.generation === generation && timer.dueAt === dueAt,
  );
  return isStill ? { expectedVersion: loaded.version } : null;
}
