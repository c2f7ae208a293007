/** How many runs of a concurrency group work at once, and whether one more may. */
import type { Definition } from '../domain/definition/definition.ts';
import type { RunId } from '../domain/ids.ts';
import type { OpenExecution } from '../ports/store.ts';
import { definitionOf } from './artifact-text.ts';
import type { Engine } from './engine.ts';

type Concurrency = Definition['concurrency'];

/** The groups as they are at one look; what is taken counts at once. */
export interface Capacity {
  /** Counts the run in when its group has room; a run that works already has its place. */
  take(run: RunId): Promise<boolean>;
  /** Why it has to wait, in one line. */
  describe(run: RunId): Promise<string>;
  waitedMs(run: RunId): Promise<number>;
}

const runsKnownMax = 1024;

export function capacity(engine: Engine): { readonly look: () => Promise<Capacity> } {
  const known = new Map<RunId, Concurrency>();

  const concurrencyOf = async (run: RunId): Promise<Concurrency> => {
    const before = known.get(run);
    if (before !== undefined) return before;
    const found = await engine.store.loadRun(run);
    if (found === null || found.aggregate.run.status === 'unborn') return { group: run, max: 1 };
    const { concurrency } = await definitionOf(engine.artifacts, found.aggregate.run.definition);
    if (known.size >= runsKnownMax) known.clear();
    known.set(run, concurrency);
    return concurrency;
  };

  const look = async (): Promise<Capacity> => {
    const groups = new Map<string, Set<RunId>>();
    const working = (group: string): Set<RunId> => {
      const runs = groups.get(group) ?? new Set();
      groups.set(group, runs);
      return runs;
    };
    const now = engine.clock.now();
    for (const open of await engine.store.openExecutions()) {
      if (!occupies(open, now)) continue;
      working((await concurrencyOf(open.run)).group).add(open.run);
    }
    return {
      take: async (run) => {
        const { group, max } = await concurrencyOf(run);
        const runs = working(group);
        if (!runs.has(run) && runs.size >= max) return false;
        runs.add(run);
        return true;
      },
      describe: async (run) => {
        const { group, max } = await concurrencyOf(run);
        return `${max} of ${max} runs of the group ${group} are working`;
      },
      waitedMs: async (run) => {
        const found = await engine.store.loadRun(run);
        return found === null || found.aggregate.run.status === 'unborn'
          ? 0
          : found.aggregate.run.spent.waitedMs;
      },
    };
  };
  return { look };
}

/** A lane that is about to start or not proven gone holds its place; one that waits does not. */
function occupies(open: OpenExecution, now: number): boolean {
  if (open.role !== 'execute' && open.role !== 'judge') return false;
  if (open.status !== 'DISPATCHED') return open.status !== 'UNKNOWN';
  return open.offeredUntil !== null && open.offeredUntil > now;
}
