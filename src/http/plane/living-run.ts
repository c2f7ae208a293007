import type { PlaneBinding } from '../../contract/plane-words.ts';
import type { Engine } from '../../engine/engine.ts';
import type { ExecutionId } from '../../ports/words.ts';
import { PlaneRefusal } from './refusal.ts';

/** The run of an execution. @throws PlaneRefusal `grant.stale` where there is none. */
export async function livingOf(
  { engine }: { readonly engine: Engine },
  { execution }: PlaneBinding,
) {
  const row = await engine.store.execution(execution as ExecutionId);
  const run = row === null ? null : ((await engine.store.loadRun(row.run))?.aggregate.run ?? null);
  if (run === null || run.status === 'unborn') throw new PlaneRefusal('grant.stale');
  return run;
}
