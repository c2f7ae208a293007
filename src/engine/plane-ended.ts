/**
 * Which runs are over for a worker that keeps what is left of them. It learns of runs that it held
 * an execution of: what is open, and what it never held, is told alike, by not being named.
 */
import type { Instant, RunId } from '../domain/ids.ts';
import type { RunAggregate } from '../domain/run/aggregate.ts';
import type { Engine } from './engine.ts';
import { hasEnded, isExecutionEvent } from './fold.ts';
import { streamOf } from './stream-pages.ts';

export interface EndedRuns {
  readonly ended: readonly { readonly run: RunId; readonly forMs: number }[];
  /** Of no run that the store has: archived, or never there. */
  readonly gone: readonly RunId[];
}

/** Reads only, so that the same question may be asked again. */
export async function endedRuns(
  { store, clock }: Pick<Engine, 'store' | 'clock'>,
  worker: string,
  runs: readonly RunId[],
): Promise<EndedRuns> {
  const ended: { run: RunId; forMs: number }[] = [];
  const gone: RunId[] = [];
  for (const run of new Set(runs)) {
    const loaded = await store.loadRun(run);
    if (loaded === null) gone.push(run);
    const at = loaded === null ? null : endOf(loaded.aggregate);
    if (at === null || !(await hasHeld(store, worker, run))) continue;
    ended.push({ run, forMs: Math.max(0, clock.now() - at) });
  }
  return { ended, gone };
}

/** Null: it goes on, or nobody could prove that an execution of it ended. */
function endOf({ run, executions }: RunAggregate): Instant | null {
  const isOver = run.status === 'complete' || run.status === 'cancelled';
  return isOver && executions.every(hasEnded) ? run.endedAt : null;
}

/** Rows of ended executions name no holder any more: the stream does. */
async function hasHeld(store: Engine['store'], worker: string, run: RunId): Promise<boolean> {
  for await (const { event } of streamOf(store, run)) {
    if (!isExecutionEvent(event) || event.type !== 'execution.leased') continue;
    if (event.grant.holder.worker === worker) return true;
  }
  return false;
}
