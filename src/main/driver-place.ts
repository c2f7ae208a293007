/** What a driver, and the check host beside it, know of their place among others. */
import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { definitionOrNull } from '../engine/artifact-text.ts';
import type { Place } from '../engine/driver-roles.ts';
import type { Engine } from '../engine/engine.ts';
import { ProductError } from '../kernel/errors.ts';
import type { Processes } from '../ports/processes.ts';
import type { ExecutionRow, Store } from '../ports/store.ts';
import type { Commit, Holder } from '../ports/words.ts';
import { orNull } from './or-null.ts';
import type { Runtime } from './runtime.ts';

interface LivesMeans {
  readonly store: Pick<Store, 'isShared'>;
  readonly worker: string;
  readonly processes: Pick<Processes, 'lives'>;
}

/** Of a holder on another machine only its beat tells: whether a process lives is seen at home. */
export const livesFrom =
  ({ store, worker, processes }: LivesMeans) =>
  (holder: Holder): boolean =>
    (store.isShared && holder.worker !== worker) || processes.lives(holder);

/** A state folder of a machine: its hosts, spools and checks have one keeper. */
export function placeOf(
  runtime: Pick<Runtime, 'around' | 'worker' | 'engine' | 'workspace'>,
): Place {
  const folder = createHash('sha256').update(runtime.around.home).digest('hex').slice(0, 8);
  return { name: `${runtime.worker}/${folder}`, lies: liesHere(runtime) };
}

const knownMax = 4_096;
/** What is not here may come: a fetch, a mount. */
const lookAgainMs = 5_000;

/**
 * Whether the project and the commit that an execution starts from are on this machine: several may
 * share the store and not the disk.
 */
function liesHere({
  engine,
  workspace,
}: Pick<Runtime, 'engine' | 'workspace'>): (row: ExecutionRow) => Promise<boolean> {
  const known = new Map<string, { readonly lies: boolean; readonly atMs: number }>();
  return async (row) => {
    const nowMs = engine.clock.monotonicMs();
    const before = known.get(row.id);
    if (before !== undefined && (before.lies || nowMs - before.atMs < lookAgainMs)) {
      return before.lies;
    }
    const lies = await look(engine, workspace, row);
    if (known.size >= knownMax) known.clear();
    known.set(row.id, { lies, atMs: nowMs });
    return lies;
  };
}

async function look(
  engine: Engine,
  workspace: Runtime['workspace'],
  { run: id, job }: ExecutionRow,
): Promise<boolean> {
  const run = (await engine.store.loadRun(id))?.aggregate.run;
  if (run === undefined || run.status === 'unborn') return true;
  const definition = await definitionOrNull(engine.artifacts, run.definition);
  // Artifacts are wherever the store is: whoever claims it tells its operator that this one is not.
  if (definition === null) return true;
  const { root } = definition.project;
  if ((await orNull(stat(root)))?.isDirectory() !== true) return false;
  const commit: Commit | null = job.commit;
  if (commit === null) return true;
  try {
    return (await (await workspace()).resolve(root, commit)) !== null;
  } catch (error: unknown) {
    if (error instanceof ProductError) return false;
    throw error;
  }
}
