/**
 * Executions that are open and that no run awaits: of a store that was damaged or half restored, or
 * a second lease of one job (RR-27). Each is asked to end, or taken back where nobody holds it;
 * no budget is spent, for it was nobody's job. Asked again, the same is said again and is moot.
 */
import { awaitedExecutions } from '../../domain/run/evolve.ts';
import type { OpenExecution, Store } from '../../ports/store.ts';
import { driverPrincipal, executionCommand } from '../command.ts';
import type { Engine } from '../engine.ts';

const runsMax = 10_000;

/**
 * Those of `open` that no run awaited a moment later, by one read of the store: suspects, which are
 * looked at one by one.
 */
export async function unawaited<E extends Pick<OpenExecution, 'id' | 'role'>>(
  store: Pick<Store, 'runs'>,
  open: readonly E[],
): Promise<readonly E[]> {
  if (open.length === 0) return [];
  const isAsked = open.some(({ role }) => role === 'consult');
  const status = isAsked ? ([...awaiting, 'needs_operator'] as const) : awaiting;
  const runs = await store.runs({ status, limit: runsMax });
  const awaited = new Set(
    runs.flatMap(({ aggregate: { run } }) =>
      run.status === 'unborn' ? [] : awaitedExecutions(run),
    ),
  );
  return open.filter(({ id }) => !awaited.has(id));
}

/** Only in these a run awaits an execution of its job; parked, what a council says. */
const awaiting = ['active', 'waiting_human', 'cancelling'] as const;

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
  if (awaitedExecutions(state).includes(id)) return false;
  const at = engine.clock.now();
  const cancel = { type: 'request_cancel', at } as const;
  const issued = await engine.issue(executionCommand(run, id, driverPrincipal, cancel));
  return issued.kind === 'committed';
}
