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
import type { EscalationKeeper } from './escalations.ts';
import { messageOf } from './words.ts';

const timersMax = 128;

export interface TimerPuller {
  /** Fires what is due now; answers how many. One run's failure does not stop the others. */
  pull(): Promise<number>;
}

/** Deadlines of who was asked to end. */
const ends: readonly DueTimer['kind'][] = ['attempt_time', 'cancel_deadline'];

export interface TimerOptions {
  readonly log: (line: string) => void;
  /** Ends whom a run asked to end and who did not, as far as this machine can. */
  readonly force?: (run: RunId) => Promise<void>;
  /** Absent: pages that are due stay so. */
  readonly escalations?: EscalationKeeper;
}

export function timerPuller(engine: Engine, options: TimerOptions): TimerPuller {
  const { log, force = async () => {}, escalations } = options;
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
      // Pages that cannot be kept stay due, and hold up no deadline.
      const limit = timersMax + (escalations?.left() ?? 0);
      const all = await engine.store.timersDue(engine.clock.now(), limit);
      const due = all.filter(({ kind }) => kind !== 'escalation');
      await Promise.all(due.map(fire));
      const pages = all.filter(({ kind }) => kind === 'escalation');
      await escalations?.keep(pages.map(({ run }) => run));
      return all.length;
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
