/**
 * Jobs that only some workers may take: by domain/placement, or since their agent is on a worker
 * and not here. One that a free one may take is its own; while there is none, its run waits and
 * says for whom, and goes on as soon as one is there.
 * What it waits is measured like the queue for a slot: at most `waitTime`, then the run is parked.
 */
import type { Placement } from '../domain/execution/state.ts';
import type { Instant, RunId } from '../domain/ids.ts';
import { mayTake, placementOf, placementWords, roleAt } from '../domain/placement/placement.ts';
import type { NoCapacity } from '../domain/run/work.ts';
import type { Lanes } from '../ports/lanes.ts';
import type { ExecutionRow, RunRow } from '../ports/store.ts';
import { isCheck } from './admission.ts';
import { agentNeeded } from './dispatch-identity.ts';
import type { Engine } from './engine.ts';
import { slotsHeld } from './plane-offers.ts';
import { type EnrolledWorker, planeWorkers, standingOf } from './plane-workers.ts';
import { runDefinition } from './run-definition.ts';

export interface Placing {
  /** Whether a host of this machine may take it. */
  isOurs(row: Pick<ExecutionRow, 'job'>): boolean;
  /** And whether its agent is here, or on no worker that is there. */
  mayStart(row: ExecutionRow): Promise<boolean>;
  /** Why the run has to wait; null: somebody may take it now, or anybody at all. */
  waits(row: ExecutionRow): Promise<NoCapacity | null>;
  /** Runs whose wait is over, since somebody may take their job. */
  found(): Promise<readonly { readonly run: RunId; readonly generation: number }[]>;
}

/** How long a job is left to the workers that may take it, and the least that its run waits. */
const leftToThemMs = 10_000;
const restMs = 5_000;
const untilMs = 600_000;
const lookMs = 2_000;
const runsMax = 10_000;
const namedMax = 3;

/** What a job needs of whoever does it. */
interface Need {
  readonly placement: Placement | undefined;
  /** As a capability, where it is not on this machine; null: it is, or it is nowhere. */
  readonly agent: string | null;
}

export interface Here {
  /** The name of this machine in holders; null: nothing is done here. */
  readonly own: string | null;
  /** Whether this machine has a capability; absent: it has all of them. */
  readonly has?: Lanes['has'];
}

export function placing(engine: Engine, { own, has }: Here): Placing {
  const { clock } = engine;
  const me = own === null ? null : ({ id: own, labels: [], isOwn: true } as const);
  const isMine = (placement: Placement | undefined) =>
    placement === undefined || (me !== null && mayTake(placement, me));
  const needOf = async (job: Wanted): Promise<Need> => {
    const { placement } = job;
    if (has === undefined || me === null || isCheck(job)) return { placement, agent: null };
    const agent = await agentWanted(engine, job);
    if (agent === null || (await has(agent))) return { placement, agent: null };
    const isTheirs = (await crewOf(engine)).some((one) => one.isAlive && isAble(one, agent));
    return { placement, agent: isTheirs ? agent : null };
  };
  const isHere = ({ agent, placement }: Need) => agent === null && isMine(placement);
  const wantedIn = ({ run, role, job }: ExecutionRow): Wanted => ({
    ...{ run, role, placement: job.placement },
  });
  let nextAtMs = Number.NEGATIVE_INFINITY;
  return {
    isOurs: ({ job }) => isMine(job.placement),
    mayStart: async (row) => isHere(await needOf(wantedIn(row))),
    waits: async (row) => {
      const need = await needOf(wantedIn(row));
      const isAnybodys = need.placement === undefined && need.agent === null;
      if (isAnybodys || isHere(need)) return null;
      const crew = await crewOf(engine);
      const now = clock.now();
      const isLeft = now - row.createdAt < leftToThemMs && crew.some(mayDo(need));
      return isLeft ? null : { ...waitFor(need, crew), until: (now + untilMs) as Instant };
    },
    found: async () => {
      const nowMs = clock.monotonicMs();
      if (nowMs < nextAtMs) return [];
      nextAtMs = nowMs + lookMs;
      const rows = await engine.store.runs({ open: true, status: ['active'], limit: runsMax });
      const waiting = rows.flatMap((row) => waitingOf(row, clock.now()));
      if (waiting.length === 0) return [];
      const crew = await crewOf(engine);
      const served: Waiting[] = [];
      for (const one of waiting) {
        const need = await needOf(one);
        if (isHere(need) || crew.some(mayDo(need))) served.push(one);
      }
      return served;
    },
  };
}

async function agentWanted(engine: Engine, { run, role }: Wanted): Promise<string | null> {
  const definition = await runDefinition(engine, run);
  return definition === null ? null : agentNeeded(definition, role);
}

interface Member extends EnrolledWorker {
  readonly state: 'enrolled';
  readonly busy: number;
  /** It asks, or renews what it holds. */
  readonly isAlive: boolean;
}

async function crewOf(engine: Engine): Promise<readonly Member[]> {
  const workers = await planeWorkers(engine).list();
  const open = await engine.store.openExecutions();
  const now = engine.clock.now();
  return workers.flatMap((worker) => {
    const { state, id } = worker;
    if (state !== 'enrolled') return [];
    const isAlive = standingOf(worker, open, now) === state;
    return [{ ...worker, state, busy: slotsHeld(open, id), isAlive }];
  });
}

const isAble = ({ capabilities = [] }: EnrolledWorker, agent: string | null): boolean =>
  agent === null || capabilities.includes(agent);

const mayDo = (need: Need) => (worker: Member) =>
  worker.isAlive && worker.busy < worker.slots && isFit(need, worker);

const isFit = ({ placement, agent }: Need, worker: Member): boolean =>
  isAble(worker, agent) && mayTake(placement, worker);

function waitFor(need: Need, crew: readonly Member[]): Omit<NoCapacity, 'until'> {
  const fitting = crew.filter((worker) => isFit(need, worker));
  const known = fitting.slice(0, namedMax).map((worker) => `${worker.name} ${standing(worker)}`);
  const more = fitting.length > namedMax ? [`${fitting.length - namedMax} more`] : [];
  const who = fitting.length === 0 ? 'none is enrolled' : [...known, ...more].join(', ');
  const { placement = {}, agent } = need;
  const has = agent === null ? '' : ` that has ${agent.replace('agent:', '')}`;
  return { detail: `${placementWords(placement)}${has} (${who})`, placed: true };
}

function standing({ isAlive, busy, slots }: Member): string {
  if (!isAlive) return 'is not there';
  return busy < slots ? 'does not take it' : `has ${busy} of ${slots} slots busy`;
}

interface Wanted {
  readonly run: RunId;
  readonly role: ExecutionRow['role'];
  readonly placement: Placement | undefined;
}
interface Waiting extends Wanted {
  readonly generation: number;
}

function waitingOf({ id, aggregate: { run } }: RunRow, now: Instant): readonly Waiting[] {
  if (run.status !== 'active' || run.stage.phase !== 'waiting') return [];
  const { placed, generation, then, since } = run.stage;
  if (placed === undefined || now - since < restMs) return [];
  const role = roleAt(then, run);
  return [{ run: id, generation, role, placement: placementOf(run, role) ?? undefined }];
}
