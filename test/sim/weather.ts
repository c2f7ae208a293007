/**
 * What goes wrong in one world, and how often: drawn once from its seed, so that some worlds are
 * calm and others are storms (swarm testing), and called off for the end, in which every run must
 * end.
 */
import { TransientError, WorldError } from '../../src/kernel/errors.ts';
import type { Artifacts } from '../../src/ports/artifacts.ts';
import type { Settled, Store } from '../../src/ports/store.ts';
import type { SimProcess } from './process.ts';
import { type Random, seeded } from './random.ts';

export interface Weather {
  /** Before and after each call that a process makes of a port. */
  interrupt(process: SimProcess): void;
  store(store: Store): Store;
  artifacts(artifacts: Artifacts): Artifacts;
  /** How far the wall clock is set now, forwards or back; 0: it is left alone. */
  clockStep(): number;
  /** A lane stops making progress, at each beat of it. */
  readonly stalls: number;
  /** An agent leaves in good order, without a result. */
  readonly cleanExits: number;
  /** A host dies between its seal and handing it in. */
  readonly sealedDeaths: number;
  readonly duplicates: number;
  readonly lies: number;
  readonly spawnFails: number;
  readonly isCalm: boolean;
  calm(): void;
}

/** In every other world, by a stream of its own, so that the others stay as they were. */
function roughness(seed: number, now: () => number) {
  const random = seeded(seed + 3_000_017);
  const isRough = random.chance(0.5);
  const sometimes = (most: number): number =>
    isRough && random.chance(0.5) ? random.next() * most : 0;
  const fills = sometimes(0.002);
  let fullUntil = 0;
  return {
    random,
    stalls: sometimes(0.03),
    cleanExits: sometimes(0.3),
    sealedDeaths: sometimes(0.3),
    rots: sometimes(0.05),
    steps: sometimes(0.2),
    freezes: sometimes(0.001),
    /** No space: for a while after it began, for everybody. */
    isFull: (): boolean => {
      if (now() >= fullUntil && random.chance(fills))
        fullUntil = now() + random.between(1_000, 300_000);
      return now() < fullUntil;
    },
  };
}

export function weather(random: Random, seed: number, monotonicNow: () => number): Weather {
  const rough = roughness(seed, monotonicNow);
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
  const isFull = (): boolean => !calm && rough.isFull();
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
    get stalls() {
      return now(rough.stalls);
    },
    get cleanExits() {
      return now(rough.cleanExits);
    },
    get sealedDeaths() {
      return now(rough.sealedDeaths);
    },
    clockStep: () =>
      !calm && rough.random.chance(rough.steps) ? rough.random.between(-600_000, 600_000) : 0,
    calm: () => {
      calm = true;
    },
    interrupt: (process) => {
      if (strikes(crash)) process.kill();
      else if (!calm && rough.freezes > 0 && rough.random.chance(rough.freezes)) {
        process.stop(10 * 3_600_000);
      } else if (strikes(stop)) process.stop(random.between(1_000, 400_000));
    },
    store: (store) => ({
      ...store,
      transact: async (commands, decide) => {
        if (isFull()) return commands.map(full);
        if (strikes(busy)) return commands.map(unavailable);
        const settled = await store.transact(commands, decide);
        // Committed, and nobody hears of it: what is sent again must do nothing twice.
        return strikes(lost) ? commands.map(unheard) : settled;
      },
      heartbeat: async (beat) => {
        if (isFull()) throw noSpace();
        if (strikes(busy)) throw new TransientError('store.busy', 'simulated');
        return store.heartbeat(beat);
      },
    }),
    artifacts: (artifacts) => ({
      put: async (bytes, kind) => {
        if (isFull()) throw noSpace();
        return artifacts.put(bytes, kind);
      },
      get: async (digest) => {
        if (!calm && rough.random.chance(rough.rots)) {
          throw new WorldError('artifact_damaged', `simulated: ${digest} cannot be read`);
        }
        return artifacts.get(digest);
      },
    }),
  };
}

const noSpace = (): WorldError => new WorldError('disk_full', 'simulated: no space left');
const full = (): Settled<never> => ({ kind: 'unavailable', error: noSpace() });
const unavailable = (): Settled<never> => ({
  kind: 'unavailable',
  error: new TransientError('store.busy', 'simulated'),
});
const unheard = (): Settled<never> => ({
  kind: 'unavailable',
  error: new WorldError('store_unusable', 'simulated: the answer to a commit was lost'),
});
