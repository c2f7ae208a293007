/** Holds the machine awake while a run is active whose definition does not say otherwise. */
import type { Digest } from '../domain/ids.ts';
import type { RunRow } from '../ports/store.ts';
import type { Held, WakeLock } from '../ports/wake-lock.ts';
import { definitionOrNull } from './artifact-text.ts';
import type { Engine } from './engine.ts';

const runsMax = 200;
const definitionsMax = 500;

export interface AwakeKeeper {
  turn(): Promise<void>;
  release(): Promise<void>;
}

export function awakeKeeper(
  engine: Engine,
  lock: WakeLock,
  log: (line: string) => void,
): AwakeKeeper {
  const known = new Map<Digest, boolean>();
  let held: Held | null = null;

  const wants = async ({ aggregate: { run } }: RunRow): Promise<boolean> => {
    if (run.status === 'unborn') return false;
    const before = known.get(run.definition);
    if (before !== undefined) return before;
    const wanted = await keepsAwake(engine, run.definition);
    if (known.size >= definitionsMax) known.clear();
    known.set(run.definition, wanted);
    return wanted;
  };
  const isWanted = async (): Promise<boolean> => {
    for (const row of await engine.store.runs({ status: ['active'], limit: runsMax })) {
      if (await wants(row)) return true;
    }
    return false;
  };
  const release = async (): Promise<void> => {
    if (held?.held === true) {
      await held.release();
      log('the machine may sleep again');
    }
    held = null;
  };

  return {
    turn: async () => {
      if (!(await isWanted())) return release();
      // What could not be held is asked for again only after there was nothing to hold it for.
      if (held !== null) return;
      held = await lock.hold('runs are active');
      log(held.held ? `kept awake by ${held.by}` : `not kept awake: ${held.why}`);
    },
    release,
  };
}

/** A definition that was pruned or is of old times does not keep anybody up. */
async function keepsAwake(engine: Engine, digest: Digest): Promise<boolean> {
  return (await definitionOrNull(engine.artifacts, digest))?.keepAwake ?? false;
}
