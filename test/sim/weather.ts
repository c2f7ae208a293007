/**
 * What goes wrong in one world, and how often: drawn once from its seed, so that some worlds are
 * calm and others are storms (swarm testing), and called off for the end, in which every run must
 * end.
 */
import { TransientError, WorldError } from '../../src/kernel/errors.ts';
import type { Settled, Store } from '../../src/ports/store.ts';
import type { SimProcess } from './process.ts';
import type { Random } from './random.ts';

export interface Weather {
  /** Before and after each call that a process makes of a port. */
  interrupt(process: SimProcess): void;
  store(store: Store): Store;
  readonly duplicates: number;
  readonly lies: number;
  readonly spawnFails: number;
  readonly isCalm: boolean;
  calm(): void;
}

export function weather(random: Random): Weather {
  const sometimes = (most: number): number => (random.chance(0.5) ? random.next() * most : 0);
  const crash = sometimes(0.004);
  const stop = sometimes(0.001);
  const busy = sometimes(0.03);
  const lost = sometimes(0.01);
  const odds = {
    duplicates: sometimes(0.5),
    lies: sometimes(0.3),
    spawnFails: sometimes(0.1),
  };
  let calm = false;
  const strikes = (probability: number): boolean => !calm && random.chance(probability);
  const now = (probability: number): number => (calm ? 0 : probability);
  return {
    get isCalm() {
      return calm;
    },
    get duplicates() {
      return now(odds.duplicates);
    },
    get lies() {
      return now(odds.lies);
    },
    get spawnFails() {
      return now(odds.spawnFails);
    },
    calm: () => {
      calm = true;
    },
    interrupt: (process) => {
      if (strikes(crash)) process.kill();
      else if (strikes(stop)) process.stop(random.between(1_000, 400_000));
    },
    store: (store) => ({
      ...store,
      transact: async (commands, decide) => {
        if (strikes(busy)) return commands.map(unavailable);
        const settled = await store.transact(commands, decide);
        // Committed, and nobody hears of it: what is sent again must do nothing twice.
        return strikes(lost) ? commands.map(unheard) : settled;
      },
      heartbeat: async (beat) => {
        if (strikes(busy)) throw new TransientError('store.busy', 'simulated');
        return store.heartbeat(beat);
      },
    }),
  };
}

const unavailable = (): Settled<never> => ({
  kind: 'unavailable',
  error: new TransientError('store.busy', 'simulated'),
});
const unheard = (): Settled<never> => ({
  kind: 'unavailable',
  error: new WorldError('store_unusable', 'simulated: the answer to a commit was lost'),
});
