/**
 * Executions that are open and that no run awaits: of a store that was damaged or half restored, or
 * a second lease of one job (RR-27). Each is asked to end, or taken back where nobody holds it;
 * no budget is spent, for it was nobody's job. Asked again, the same is said again and is moot.
 */
import { openExecution } from '../../domain/run/evolve.ts';
import type { OpenExecution } from '../../ports/store.ts';
import { driverPrincipal, executionCommand } from '../command.ts';
import type { Engine } from '../engine.ts';

/** Answers whether it was one. The run is read after the row, so that it is never the older. */
export async function reconcileOrphan(
  engine: Engine,
  { id, run, status }: Pick<OpenExecution, 'id' | 'run' | 'status'>,
): Promise<boolean> {
  if (status === 'CANCEL_REQUESTED' || status === 'RECOVERING' || status === 'UNKNOWN')
    return false;
  const loaded = await engine.store.loadRun(run);
  const state = loaded?.aggregate.run;
  if (state === undefined || state.status === 'unborn') return false;
  if (openExecution(state) === id) return false;
  const at = engine.clock.now();
  const cancel = { type: 'request_cancel', at } as const;
  const issued = await engine.issue(executionCommand(run, id, driverPrincipal, cancel));
  return issued.kind === 'committed';
}
