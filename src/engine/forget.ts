/**
 * What a cancelled run left unrecorded is kept, whoever died over it: a lane host that lives does
 * so itself. Spools of runs that have ended go when their artifacts are referenced
 * (design/lane-host.md 15).
 */
import { type ExecutionId, executionIds, type Instant, type RunId } from '../domain/ids.ts';
import type { Lanes } from '../ports/lanes.ts';
import type { RunRow } from '../ports/store.ts';
import type { Engine } from './engine.ts';
import { hasEnded } from './fold.ts';
import { messageOf } from './words.ts';

const lookBackMs = 7 * 24 * 3_600_000;
const runsMax = 200;

export function forgetter(
  engine: Engine,
  lanes: Pick<Lanes, 'forget' | 'keepLeft'>,
  log: (line: string) => void,
): { readonly forgetEnded: () => Promise<void> } {
  let forgotten = new Set<RunId>();
  const keepLeft = async (row: RunRow): Promise<void> => {
    try {
      await lanes.keepLeft?.(executionsOf(row));
    } catch (error: unknown) {
      // It stays in the tree, and whoever removes that keeps it first.
      log(`${row.id} unfinished work stays in the tree: ${messageOf(error)}`);
    }
  };
  return {
    forgetEnded: async () => {
      const ended = await engine.store.runs({
        status: ['complete', 'cancelled'],
        since: (engine.clock.now() - lookBackMs) as Instant,
        limit: runsMax,
      });
      // A run whose execution nobody could prove ended keeps its spools: they are what is known.
      const due = ended.filter(
        ({ id, aggregate }) => !forgotten.has(id) && aggregate.executions.every(hasEnded),
      );
      for (const row of due) {
        if (row.aggregate.run.status === 'cancelled') await keepLeft(row);
      }
      if (due.length > 0) await lanes.forget(due.flatMap(executionsOf));
      const kept = new Set(ended.map(({ id }) => id));
      forgotten = new Set([...forgotten, ...due.map(({ id }) => id)].filter((id) => kept.has(id)));
    },
  };
}

function executionsOf({ id, aggregate }: RunRow): readonly ExecutionId[] {
  const { run } = aggregate;
  const count = run.status === 'unborn' ? 0 : run.counters.executions;
  return executionIds(id, count);
}
