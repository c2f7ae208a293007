import type { ExecutionId } from '../domain/ids.ts';
import type { Principal } from '../domain/principal/principal.ts';
import type { Engine } from './engine.ts';
import { runDefinition } from './run-definition.ts';
import { runOf } from './run-of.ts';

const runsMax = 1_000;

/**
 * Whether a lane may start one more run: the definition that it works under grants a number, and
 * what its run has started counts against it. False for whoever is not a lane of a known run.
 */
export async function mayNest(engine: Engine, { kind, actor }: Principal): Promise<boolean> {
  if (kind !== 'lane') return false;
  const parent = runOf(actor as ExecutionId);
  const nestedRuns = (await runDefinition(engine, parent))?.nestedRuns ?? 0;
  if (nestedRuns <= 0) return false;
  const runs = await engine.store.runs({ limit: runsMax });
  const started = runs.filter(({ aggregate: { run } }) => {
    if (run.status === 'unborn' || run.startedBy !== 'lane') return false;
    return runOf(run.startedActor as ExecutionId) === parent;
  });
  return started.length < nestedRuns;
}
