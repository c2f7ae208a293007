/**
 * Offers of work to a worker elsewhere: rows that fit what it can do, each to one worker at a time
 * (`offeredUntil`), counted against its slots. An offer is no claim: the claim decides.
 *
 * Promises: a lane is offered only where one of this machine could start too: its group has room
 * and no budget over runs is spent. Otherwise the row is left, and the driver tells the run.
 *
 * Who waits is woken by the store's hint of a commit. Most commits are no dispatch, so all who wait
 * share one look at the rows, which is not begun before the last one has ended and rested.
 */
import type { ExecutionId, Instant, RunId } from '../domain/ids.ts';
import { mayTake } from '../domain/placement/placement.ts';
import type { CancelSignal } from '../kernel/cancel-signal.ts';
import type { ExecutionRow, OpenExecution } from '../ports/store.ts';
import { type Admission, isCheck } from './admission.ts';
import { capabilitiesOf } from './dispatch-identity.ts';
import { ear } from './ear.ts';
import type { Engine } from './engine.ts';
import { runDefinition } from './run-definition.ts';

export interface WorkOffer {
  readonly execution: ExecutionId;
  readonly run: RunId;
  readonly role: ExecutionRow['role'];
  readonly attempt: number;
  readonly capabilities: readonly string[];
}

export interface OfferRequest {
  readonly worker: string;
  readonly labels: readonly string[];
  readonly slots: number;
  readonly free: number;
  readonly capabilities: readonly string[];
  readonly waitMs: number;
  readonly signal: CancelSignal;
}

export interface OfferMeans {
  readonly engine: Engine;
  readonly admission: Admission;
}

export interface PlaneOffers {
  /** Empty when nothing fitted in time. */
  offersFor(request: OfferRequest): Promise<readonly WorkOffer[]>;
}

const rowsMax = 128;
const offerMs = 10_000;
/** Hints may be lost: a look comes all the same. */
const lookMs = 250;
const offersMax = 32;
/**
 * Looks take a fifth of the time at most, however many commits there are, over so long a time: the
 * first ones after a while without any do not wait, since somebody waits for them.
 */
const lookParts = 5;
const burstMs = 250;
const restMsMax = 100;
const neededKept = 4_096;

export function planeOffers(means: OfferMeans): PlaneOffers {
  const { engine, admission } = means;
  const { clock, store } = engine;
  const look = looks(engine);
  const needed = neededBy(engine);

  const offerNow = async (request: OfferRequest): Promise<readonly WorkOffer[]> => {
    const { open, rows, take } = await look();
    const held = slotsHeld(open, request.worker);
    const room = Math.min(request.free, request.slots - held, offersMax);
    if (room <= 0) return [];
    const asker = { id: request.worker, labels: request.labels };
    const mine = rows.filter(({ job }) => mayTake(job.placement, asker));
    const all = await Promise.all(mine.map(needed));
    const fitting = all.filter(({ capabilities }) => fits(capabilities, request.capabilities));
    const offers: WorkOffer[] = [];
    for await (const { row, capabilities } of admitted(admission, fitting)) {
      if (offers.length >= room) break;
      if (!take(row) || !(await offerOne(means, row))) continue;
      const { id: execution, run, role, attempt } = row;
      offers.push({ execution, run, role, attempt, capabilities });
    }
    return offers;
  };

  return {
    offersFor: async (request) => {
      const endMs = clock.monotonicMs() + request.waitMs;
      const hearing = ear({ hints: store.hints, sleep: clock.sleep });
      try {
        for (;;) {
          const offers = await offerNow(request);
          const leftMs = endMs - clock.monotonicMs();
          if (offers.length > 0 || leftMs <= 0 || request.signal.aborted) return offers;
          await hearing.wait(Math.min(leftMs, lookMs), request.signal);
        }
      } finally {
        hearing.close();
      }
    },
  };
}

interface Look {
  readonly open: readonly OpenExecution[];
  readonly rows: readonly ExecutionRow[];
  /** False: another who shares this look has it. */
  take(row: ExecutionRow): boolean;
}

/** Whoever asks shares the next look, which has not begun yet, and so sees what he was told of. */
function looks({ clock, store }: Engine): () => Promise<Look> {
  let next: Promise<Look> | null = null;
  let last: Promise<void> = Promise.resolve();
  /** When the looks until now have been paid for. */
  let paidAtMs = Number.NEGATIVE_INFINITY;
  const begin = async (): Promise<Look> => {
    const restMs = paidAtMs - burstMs - clock.monotonicMs();
    if (restMs > 0) await clock.sleep(restMs);
    next = null;
    const fromMs = clock.monotonicMs();
    const [open, rows] = await Promise.all([
      store.openExecutions(),
      store.dispatchable(clock.now(), rowsMax),
    ]);
    const nowMs = clock.monotonicMs();
    const paidMs = Math.max(paidAtMs, fromMs) + (nowMs - fromMs) * lookParts;
    // A debt is never larger: the load of a while ago is nobody's business.
    paidAtMs = Math.min(paidMs, nowMs + burstMs + restMsMax);
    const taken = new Set<ExecutionId>();
    return { open, rows, take: ({ id }) => !taken.has(id) && taken.add(id).has(id) };
  };
  return () => {
    if (next !== null) return next;
    const made = last.then(begin);
    next = made;
    // Whoever asked hears of a failure; the next look begins all the same.
    last = made.then(
      () => undefined,
      () => undefined,
    );
    return made;
  };
}

/** In their order, but among lanes whoever was started first; asked only when its turn has come. */
async function* admitted(
  { look, inTurn }: Admission,
  fitting: readonly Needed[],
): AsyncGenerator<Needed> {
  for (const one of fitting) if (isCheck(one.row)) yield one;
  const lanes = fitting.map(({ row }) => row).filter((row) => !isCheck(row));
  if (lanes.length === 0) return;
  const { refused } = await look(lanes);
  for (const row of await inTurn(lanes)) {
    const one = fitting.find((fit) => fit.row === row);
    if (one !== undefined && (await refused(row)) === null) yield one;
  }
}

async function offerOne({ engine, admission }: OfferMeans, row: ExecutionRow): Promise<boolean> {
  const { clock, store } = engine;
  const now = clock.now();
  const until = (now + offerMs) as Instant;
  if (!(await store.offer(row.id, now, until))) return false;
  if (isCheck(row) || (await admission.isWithin(row.run))) return true;
  // At the instant `until` it has lapsed: seen from there, it is offered until now, to nobody.
  await store.offer(row.id, until, now);
  return false;
}

/**
 * Slots of a worker: what it holds, also what it cannot be proven not to hold (DESIGN §6).
 */
export const slotsHeld = (open: readonly OpenExecution[], worker: string): number =>
  open.filter(({ lease, status }) => lease?.holder.worker === worker && status !== 'DISPATCHED')
    .length;

const fits = (needed: readonly string[], offered: readonly string[]): boolean =>
  needed.every((one) => offered.includes(one));

interface Needed {
  readonly row: ExecutionRow;
  readonly capabilities: readonly string[];
}

/** A run keeps its definition, so that what its roles need is found out once. */
function neededBy(engine: Engine): (row: ExecutionRow) => Promise<Needed> {
  const known = new Map<string, readonly string[]>();
  return async (row) => {
    const key = `${row.run} ${row.role}`;
    const before = known.get(key);
    if (before !== undefined) return { row, capabilities: before };
    const found = await capabilitiesFor(engine, row);
    // What cannot be read is for whoever claims it: the claim then says so to the run.
    if (found === null) return { row, capabilities: [`role:${row.role}`] };
    if (known.size >= neededKept) known.clear();
    known.set(key, found);
    return { row, capabilities: found };
  };
}

async function capabilitiesFor(
  engine: Engine,
  row: ExecutionRow,
): Promise<readonly string[] | null> {
  const definition = await runDefinition(engine, row.run);
  return definition === null ? null : capabilitiesOf(definition, row);
}
