/**
 * Jobs that only some workers may take (domain/placement). One that a free one may take is its
 * own; while there is none, its run waits and says for whom, and goes on as soon as one is there.
 * What it waits is measured like the queue for a slot: at most `waitTime`, then the run is parked.
 */
import type { Placement } from '../domain/execution/state.ts';
import type { Instant, RunId } from '../domain/ids.ts';
import { mayTake, placementOf, placementWords, roleAt } from '../domain/placement/placement.ts';
import type { NoCapacity } from '../domain/run/work.ts';
import type { ExecutionRow, RunRow } from '../ports/store.ts';
import type { Engine } from './engine.ts';
import { slotsHeld } from './plane-offers.ts';
import { type EnrolledWorker, planeWorkers } from './plane-workers.ts';

export interface Placing {
  /** Whether a host of this machine may take it. */
  isOurs(row: Pick<ExecutionRow, 'job'>): boolean;
  /** Why the run has to wait; null: somebody may take it now, or anybody at all. */
  waits(row: ExecutionRow): Promise<NoCapacity | null>;
  /** Runs whose wait is over, since somebody may take their job. */
  found(): Promise<readonly { readonly run: RunId; readonly generation: number }[]>;
}

/** A worker that has not asked for so long is not counted on. */
const aliveMs = 120_000;
/** How long a job is left to the workers that may take it, and the least that its run waits. */
const leftToThemMs = 10_000;
const restMs = 5_000;
const untilMs = 600_000;
const lookMs = 2_000;
const runsMax = 10_000;
const namedMax = 3;

/** `own`: the name of this machine in holders; null: nothing is done here. */
export function placing(engine: Engine, own: string | null): Placing {
  const { clock } = engine;
  const isOurs = ({ job: { placement } }: Pick<ExecutionRow, 'job'>) =>
    placement === undefined || (own !== null && mayTake(placement, { id: own, labels: [] }));
  let nextAtMs = Number.NEGATIVE_INFINITY;
  return {
    isOurs,
    waits: async (row) => {
      const { placement } = row.job;
      if (placement === undefined || isOurs(row)) return null;
      const now = clock.now();
      const crew = await crewOf(engine);
      const isLeft = now - row.createdAt < leftToThemMs && crew.some(mayDo(placement));
      return isLeft ? null : { ...waitFor(placement, crew), until: (now + untilMs) as Instant };
    },
    found: async () => {
      const nowMs = clock.monotonicMs();
      if (nowMs < nextAtMs) return [];
      nextAtMs = nowMs + lookMs;
      const rows = await engine.store.runs({ open: true, status: ['active'], limit: runsMax });
      const waiting = rows.flatMap((row) => waitingOf(row, clock.now()));
      if (waiting.length === 0) return [];
      const crew = await crewOf(engine);
      const isServed = (placement: Placement | null) =>
        placement === null ||
        (own !== null && mayTake(placement, { id: own, labels: [] })) ||
        crew.some(mayDo(placement));
      return waiting.filter(({ placement }) => isServed(placement));
    },
  };
}

interface Member extends EnrolledWorker {
  readonly state: 'enrolled';
  readonly busy: number;
  readonly isAlive: boolean;
}

async function crewOf(engine: Engine): Promise<readonly Member[]> {
  const workers = await planeWorkers(engine).list();
  const open = await engine.store.openExecutions();
  const now = engine.clock.now();
  return workers.flatMap((worker) => {
    const { state, id, seenAt } = worker;
    if (state !== 'enrolled') return [];
    return [{ ...worker, state, busy: slotsHeld(open, id), isAlive: now - seenAt < aliveMs }];
  });
}

const mayDo = (placement: Placement) => (worker: Member) =>
  worker.isAlive && worker.busy < worker.slots && mayTake(placement, worker);

function waitFor(placement: Placement, crew: readonly Member[]): Omit<NoCapacity, 'until'> {
  const fitting = crew.filter((worker) => mayTake(placement, worker));
  const known = fitting.slice(0, namedMax).map((worker) => `${worker.name} ${standing(worker)}`);
  const more = fitting.length > namedMax ? [`${fitting.length - namedMax} more`] : [];
  const who = fitting.length === 0 ? 'none is enrolled' : [...known, ...more].join(', ');
  return { detail: `${placementWords(placement)} (${who})`, placed: true };
}

function standing({ isAlive, busy, slots }: Member): string {
  if (!isAlive) return 'is not there';
  return busy < slots ? 'does not take it' : `has ${busy} of ${slots} slots busy`;
}

interface Waiting {
  readonly run: RunId;
  readonly generation: number;
  readonly placement: Placement | null;
}

function waitingOf({ id, aggregate: { run } }: RunRow, now: Instant): readonly Waiting[] {
  if (run.status !== 'active' || run.stage.phase !== 'waiting') return [];
  const { placed, generation, then, since } = run.stage;
  if (placed === undefined || now - since < restMs) return [];
  return [{ run: id, generation, placement: placementOf(run, roleAt(then, run)) }];
}
