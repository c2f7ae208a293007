/**
 * Offers of work to a worker elsewhere: rows that fit what it can do, each to one worker at a time
 * (`offeredUntil`), counted against its slots. An offer is no claim: the claim decides.
 *
 * Promises: a lane is offered only where one of this machine could start too: its group has room and
 * no budget over runs is spent. Otherwise the row is left as it is, and the driver tells the run.
 */
import type { ExecutionId, Instant, RunId } from '../domain/ids.ts';
import type { CancelSignal } from '../kernel/cancel-signal.ts';
import type { ExecutionRow, OpenExecution } from '../ports/store.ts';
import { type Admission, isCheck } from './admission.ts';
import { definitionOf } from './artifact-text.ts';
import { capabilitiesOf } from './dispatch-identity.ts';
import type { Engine } from './engine.ts';

export interface WorkOffer {
  readonly execution: ExecutionId;
  readonly run: RunId;
  readonly role: ExecutionRow['role'];
  readonly attempt: number;
  readonly capabilities: readonly string[];
}

export interface OfferRequest {
  readonly worker: string;
  readonly slots: number;
  readonly free: number;
  readonly capabilities: readonly string[];
  readonly waitMs: number;
  readonly signal: CancelSignal;
}

const rowsMax = 128;
const offerMs = 10_000;
const lookMs = 250;
const offersMax = 32;

export interface OfferMeans {
  readonly engine: Engine;
  readonly admission: Admission;
}

/** Empty when nothing fitted in time. */
export async function offersFor(
  means: OfferMeans,
  request: OfferRequest,
): Promise<readonly WorkOffer[]> {
  const { clock } = means.engine;
  const endMs = clock.monotonicMs() + request.waitMs;
  for (;;) {
    const offers = await offerNow(means, request);
    const leftMs = endMs - clock.monotonicMs();
    if (offers.length > 0 || leftMs <= 0 || request.signal.aborted) return offers;
    await heard(means.engine, Math.min(leftMs, lookMs), request.signal);
  }
}

/** A commit is a hint to look at once; without one the look comes all the same. */
async function heard({ clock, store }: Engine, ms: number, signal: CancelSignal): Promise<void> {
  let wake = () => {};
  const hinted = new Promise<void>((done) => {
    wake = done;
  });
  const end = store.hints(() => wake());
  try {
    await Promise.race([clock.sleep(ms, signal), hinted]);
  } finally {
    end();
  }
}

type Fitting = { readonly row: ExecutionRow; readonly capabilities: readonly string[] };

async function offerNow(means: OfferMeans, request: OfferRequest): Promise<readonly WorkOffer[]> {
  const { store } = means.engine;
  const held = slotsHeld(await store.openExecutions(), request.worker);
  const room = Math.min(request.free, request.slots - held, offersMax);
  if (room <= 0) return [];
  const fitting = await fittingRows(means.engine, request);
  const offers: WorkOffer[] = [];
  for await (const { row, capabilities } of admitted(means.admission, fitting)) {
    if (offers.length >= room) break;
    if (!(await offerOne(means, row))) continue;
    const { id: execution, run, role, attempt } = row;
    offers.push({ execution, run, role, attempt, capabilities });
  }
  return offers;
}

async function fittingRows(engine: Engine, request: OfferRequest): Promise<readonly Fitting[]> {
  const fitting: Fitting[] = [];
  for (const row of await engine.store.dispatchable(engine.clock.now(), rowsMax)) {
    const capabilities = await neededBy(engine, row);
    if (fits(capabilities, request.capabilities)) fitting.push({ row, capabilities });
  }
  return fitting;
}

/** In their order, but among lanes whoever was started first; asked only when its turn has come. */
async function* admitted(
  { look, inTurn }: Admission,
  fitting: readonly Fitting[],
): AsyncGenerator<Fitting> {
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

/** What cannot be read any more is for whoever claims it: the claim then says so to the run. */
async function neededBy(engine: Engine, row: ExecutionRow): Promise<readonly string[]> {
  const loaded = await engine.store.loadRun(row.run);
  const run = loaded?.aggregate.run ?? null;
  if (run === null || run.status === 'unborn') return [`role:${row.role}`];
  if ((await engine.artifacts.get(run.definition)) === null) return [`role:${row.role}`];
  return capabilitiesOf(await definitionOf(engine.artifacts, run.definition), row);
}
