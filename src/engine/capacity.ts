/**
 * How many runs of a concurrency group work at once, and whether one more may. A group is a name
 * over all projects. The queue of a group is in the order in which its runs were started: a later
 * one never takes the slot of one that waits, so nobody starves.
 */
import type { Definition } from '../domain/definition/definition.ts';
import { isLaneRole } from '../domain/execution/roles.ts';
import type { RunId } from '../domain/ids.ts';
import type { ExecutionRow, OpenExecution, RunRow } from '../ports/store.ts';
import { definitionOrNull } from './artifact-text.ts';
import type { Engine } from './engine.ts';
import { order, type Queued, queuedRuns, slotsWords } from './queue.ts';

type Concurrency = Definition['concurrency'];

/** The groups as they are at one look; what is taken counts at once. */
export interface Capacity {
  /** Counts the run in when its group has room; a run that works already has its place. */
  take(run: RunId): Promise<boolean>;
  /** Why it has to wait, in one line: which group, how full, how many before it. */
  describe(run: RunId): Promise<string>;
  /** Runs that wait for a slot, in all groups. */
  readonly queued: number;
  /** Those of them for whom there is a slot now, in order. */
  whoseTurn(): Promise<readonly Queued[]>;
}

interface Known extends Concurrency {
  readonly id: RunId;
  readonly createdAt: RunRow['createdAt'];
}

const runsKnownMax = 1024;

export function capacity(engine: Engine): {
  readonly look: () => Promise<Capacity>;
  /** Whoever was started first comes first. */
  readonly inTurn: (rows: readonly ExecutionRow[]) => Promise<readonly ExecutionRow[]>;
  /** Whether no more runs of its group work, or are about to, than it allows. */
  readonly isWithin: (run: RunId) => Promise<boolean>;
} {
  const known = new Map<RunId, Known>();
  const knownOf = async (run: RunId): Promise<Known> => {
    const before = known.get(run);
    if (before !== undefined) return before;
    const found = await knowledge(engine, run);
    if (known.size >= runsKnownMax) known.clear();
    known.set(run, found);
    return found;
  };
  return {
    look: async () => lookAt(engine, knownOf),
    isWithin: async (id) => {
      const { group, max } = await knownOf(id);
      return ((await workingIn(engine, knownOf)).get(group)?.size ?? 0) <= max;
    },
    inTurn: async (rows) => {
      const runs = await Promise.all(
        rows.map(async (row) => ({ row, run: await knownOf(row.run) })),
      );
      return runs.sort((a, b) => a.run.createdAt - b.run.createdAt).map(({ row }) => row);
    },
  };
}

async function knowledge(engine: Engine, id: RunId): Promise<Known> {
  const run = (await engine.store.loadRun(id))?.aggregate.run;
  if (run === undefined || run.status === 'unborn') {
    return { id, createdAt: engine.clock.now(), group: id, max: 1 };
  }
  const definition = await definitionOrNull(engine.artifacts, run.definition);
  // Whoever claims it finds that out; it stands in nobody's way meanwhile.
  const concurrency = definition?.concurrency ?? { group: id, max: 1 };
  return { id, createdAt: run.startedAt, ...concurrency };
}

async function lookAt(engine: Engine, knownOf: (run: RunId) => Promise<Known>): Promise<Capacity> {
  const working = await workingIn(engine, knownOf);
  const waiting = await queuedRuns(engine.store);
  const ofGroup = (group: string): Set<RunId> => {
    const runs = working.get(group) ?? new Set();
    working.set(group, runs);
    return runs;
  };
  /** Who waits in the same group and was started before it. */
  const before = async (run: Known): Promise<number> => {
    const others = await Promise.all(waiting.map(async ({ row }) => knownOf(row.id)));
    const ahead = others.filter(({ group }) => group === run.group);
    return ahead.filter((other) => other.id !== run.id && order(other, run) < 0).length;
  };
  return {
    queued: waiting.length,
    take: async (id) => {
      const run = await knownOf(id);
      const runs = ofGroup(run.group);
      if (runs.has(id)) return true;
      if (runs.size + (await before(run)) >= run.max) return false;
      runs.add(id);
      return true;
    },
    describe: async (id) => {
      const run = await knownOf(id);
      return slotsWords(run, await before(run));
    },
    whoseTurn: async () => {
      const turn: Queued[] = [];
      for (const queued of waiting) {
        const run = await knownOf(queued.run);
        const ahead = await before(run);
        if (ofGroup(run.group).size + ahead < run.max) turn.push(queued);
      }
      return turn;
    },
  };
}

async function workingIn(
  engine: Engine,
  knownOf: (run: RunId) => Promise<Known>,
): Promise<Map<string, Set<RunId>>> {
  const groups = new Map<string, Set<RunId>>();
  const now = engine.clock.now();
  for (const open of await engine.store.openExecutions()) {
    if (!occupies(open, now)) continue;
    const { group } = await knownOf(open.run);
    groups.set(group, (groups.get(group) ?? new Set()).add(open.run));
  }
  return groups;
}

/** A council works on no run: it takes nobody's slot, and waits for none. */
export const takesSlot = ({ role }: Pick<OpenExecution, 'role'>): boolean =>
  isLaneRole(role) && role !== 'consult';

/** A lane that is about to start or not proven gone holds its place; one that waits does not. */
function occupies(open: OpenExecution, now: number): boolean {
  if (!takesSlot(open)) return false;
  if (open.status !== 'DISPATCHED') return open.status !== 'UNKNOWN';
  return open.offeredUntil !== null && open.offeredUntil > now;
}
