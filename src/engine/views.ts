/** Reads what a view needs beside its row. */

import type { Definition } from '../domain/definition/definition.ts';
import type { Holder } from '../domain/execution/state.ts';
import { noWorkReasons } from '../domain/health/health.ts';
import type { ExecutionId, RunId } from '../domain/ids.ts';
import { mayTake, placementOf, roleAt } from '../domain/placement/placement.ts';
import type { Principal } from '../domain/principal/principal.ts';
import { retriedAs } from '../domain/run/retried.ts';
import { isDriverSeat } from '../kernel/driver-seats.ts';
import type { RunView } from '../ports/client.ts';
import type { RunRow, SeatRow, StoredEvent } from '../ports/store.ts';
import { agentsThere } from './agents-there.ts';
import { conditionOf, definitionOrNull } from './artifact-text.ts';
import type { Engine } from './engine.ts';
import { hasEnded } from './fold.ts';
import { type EnrolledWorker, planeWorkers, standingOf } from './plane-workers.ts';
import { queuePlaces } from './queue.ts';
import { shortOf } from './reference.ts';
import { noWorkIn } from './run-health.ts';
import { presentExecution, runView, type ViewFacts } from './view.ts';

export interface Views {
  of(row: RunRow): Promise<RunView>;
  /** Null when it was pruned. */
  definition(row: RunRow): Promise<Definition | null>;
}

const scannedMax = 500;
const beatsMax = 500;
const eventsMax = 2_000;
const verbsMax = 20;

export interface Signs {
  readonly lives: (holder: Holder) => boolean;
  /** Whether who holds the seat of a driver is there to drive. */
  readonly drives: (row: SeatRow) => boolean;
}

export function views(engine: Engine, { lives, drives }: Signs): Views {
  const { store, artifacts } = engine;
  const beatAge = beatAges(engine);

  const definition = async ({ aggregate }: RunRow): Promise<Definition | null> => {
    if (aggregate.run.status === 'unborn') return null;
    return definitionOrNull(artifacts, aggregate.run.definition);
  };
  const lease = async ({ aggregate }: RunRow): Promise<ViewFacts['lease']> => {
    const execution = presentExecution(aggregate.executions);
    if (execution === null || execution.grant === null) return null;
    // In this order: who handed in its result and left is not gone, though the row was older.
    const isThere = lives(execution.grant.holder);
    const open = await store.execution(execution.id);
    if (open === null) return null;
    const gone = isThere || hasEnded(open) ? {} : { holderGone: true as const };
    return { signals: open.signals, beatAgeMs: beatAge(open.id, open.beat), ...gone };
  };
  const driver = async (): Promise<SeatRow | null> => {
    const seats = (await store.seats()).filter(isDriverSeat);
    return seats.find(drives) ?? null;
  };
  const scanned = new Map<RunId, Scanned>();
  /** What was read before is not read again: a watched run is looked at often. */
  const ancestryUnknown = async (row: RunRow): Promise<readonly string[]> => {
    if (!mayHaveGateVerbs(row)) return [];
    const before = scanned.get(row.id) ?? { version: 0, verbs: [] };
    const after = Math.max(before.version, row.version - eventsMax);
    const events = after < row.version ? await store.events(row.id, after, eventsMax) : [];
    const verbs = [...before.verbs, ...events.flatMap(unprovenVerb)].slice(0, verbsMax);
    if (scanned.size >= scannedMax) scanned.clear();
    scanned.set(row.id, { version: events.at(-1)?.version ?? before.version, verbs });
    return verbs;
  };

  const place = queuePlaces(engine, definition);
  const noWork = async (row: RunRow): Promise<ViewFacts['noWork']> => {
    const reason = await noWorkIn(store, row, engine.clock.now());
    // What is ready and has no driver is told as that, and needs nothing but one.
    const isIdle = reason === 'unclaimed' && (await driver()) === null;
    return reason === null || isIdle ? null : { reason, detail: noWorkReasons[reason] };
  };

  return {
    definition,
    of: async (row) => {
      const snapshot = await definition(row);
      return runView(row, {
        now: engine.clock.now(),
        short: await shortOf(store, row.id),
        definition: snapshot,
        lease: await lease(row),
        driver: await driver(),
        ancestryUnknown: await ancestryUnknown(row),
        place: await place(row),
        noWork: await noWork(row),
        ...(await elsewhere(engine, row, snapshot)),
        ...(await receiptDamage(engine, row)),
      });
    },
  };
}

/** What was verified and could be landed stands on its receipt. */
async function receiptDamage(
  { artifacts }: Engine,
  { aggregate: { run } }: RunRow,
): Promise<Pick<ViewFacts, 'receiptDamaged'>> {
  if (run.status !== 'complete' || run.landed !== null) return {};
  const { receipt, verification } = run;
  if (receipt === null || verification !== 'passed') return {};
  const condition = await conditionOf(() => artifacts.get(receipt));
  return condition === 'whole' ? {} : { receiptDamaged: true };
}

type Elsewhere = Pick<ViewFacts, 'worker' | 'treeOn' | 'agents'>;

/** The worker that has its work tree, and where and by whom a parked run could be gone on with. */
async function elsewhere(
  engine: Engine,
  { aggregate: { run } }: RunRow,
  definition: Definition | null,
): Promise<Elsewhere> {
  if (run.status === 'unborn') return {};
  const workers = planeWorkers(engine);
  const maker = run.madeBy === undefined ? null : await workers.known(run.madeBy);
  const treeOn = maker === null ? {} : { treeOn: { id: maker.id, name: maker.name } };
  if (run.status !== 'needs_operator') return treeOn;
  const present = await presentOf(engine, await workers.list());
  const agents = definition === null ? [] : await agentsThere(engine, run, definition, present);
  // Sent there, it needs no leave but that worker's own labels.
  const { on: _, ...free } = run;
  const needed = placementOf(free, roleAt(run.then, run)) ?? undefined;
  const other = present.find((worker) => worker.id !== run.madeBy && mayTake(needed, worker));
  return { ...treeOn, agents, worker: other?.id ?? null };
}

async function presentOf(
  { store, clock }: Engine,
  workers: readonly EnrolledWorker[],
): Promise<readonly EnrolledWorker[]> {
  if (workers.length === 0) return [];
  const open = await store.openExecutions();
  return workers.filter((worker) => standingOf(worker, open, clock.now()) === 'enrolled');
}

interface Scanned {
  readonly version: number;
  readonly verbs: readonly string[];
}

/** How long this observer has seen the same beat; null at the first look. */
function beatAges(engine: Engine): (id: ExecutionId, beat: number) => number | null {
  const seen = new Map<ExecutionId, { readonly beat: number; readonly atMs: number }>();
  return (id, beat) => {
    const now = engine.clock.monotonicMs();
    const before = seen.get(id);
    if (before !== undefined && before.beat === beat) return now - before.atMs;
    if (seen.size >= beatsMax) seen.clear();
    seen.set(id, { beat, atMs: now });
    return before === undefined ? null : 0;
  };
}

/** Spares a list the reading of streams in which no gate was ever passed. */
function mayHaveGateVerbs({ aggregate }: RunRow): boolean {
  const { run } = aggregate;
  if (run.status === 'unborn') return false;
  const isOverridden = run.status === 'complete' && run.verification === 'overridden';
  const answered = run.resolvedApproval !== null || run.answer !== null;
  if (run.status === 'cancelled' && retriedAs(run) !== null) return true;
  const handedOver = run.landed !== null || run.proposed !== undefined;
  return run.counters.resumed > 0 || handedOver || isOverridden || answered;
}

const ancestryUnknownMark = ' (ancestry unknown)';

/**
 * The actor of a record: a terminal of which nobody knows who opened it is marked (threat model).
 */
export const withAncestry = ({ kind, actor, ancestry }: Principal): string =>
  kind === 'human' && ancestry === 'unknown' ? `${actor}${ancestryUnknownMark}` : actor;

/** The verb of a gate that a terminal passed whose ancestors nobody could tell. */
function unprovenVerb({ actor, event }: StoredEvent): readonly string[] {
  if (!actor.endsWith(ancestryUnknownMark)) return [];
  switch (event.type) {
    case 'run.resumed':
      return ['resume'];
    case 'question.answered':
      return ['answer'];
    case 'gate.resolved':
      return [event.outcome === 'approved' ? 'approve' : 'reject'];
    case 'run.landed':
      return ['land'];
    case 'run.cancelled':
      return retriedAs(event) === null ? [] : ['retry'];
    case 'run.completed':
      return event.verification === 'overridden' ? ['accept'] : [];
    default:
      return [];
  }
}
