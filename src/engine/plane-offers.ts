/**
 * Offers of work to a worker elsewhere: rows that fit what it can do, each to one worker at a time
 * (`offeredUntil`), counted against its slots. An offer is no claim: the claim decides.
 */
import type { ExecutionId, Instant, RunId } from '../domain/ids.ts';
import type { CancelSignal } from '../kernel/cancel-signal.ts';
import type { ExecutionRow, OpenExecution } from '../ports/store.ts';
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

/** Empty when nothing fitted in time. */
export async function offersFor(
  engine: Engine,
  request: OfferRequest,
): Promise<readonly WorkOffer[]> {
  const { clock } = engine;
  const endMs = clock.monotonicMs() + request.waitMs;
  for (;;) {
    const offers = await offerNow(engine, request);
    const leftMs = endMs - clock.monotonicMs();
    if (offers.length > 0 || leftMs <= 0 || request.signal.aborted) return offers;
    await heard(engine, Math.min(leftMs, lookMs), request.signal);
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

async function offerNow(engine: Engine, request: OfferRequest): Promise<readonly WorkOffer[]> {
  const { clock, store } = engine;
  const held = slotsHeld(await store.openExecutions(), request.worker);
  const room = Math.min(request.free, request.slots - held, offersMax);
  const offers: WorkOffer[] = [];
  if (room <= 0) return offers;
  for (const row of await store.dispatchable(clock.now(), rowsMax)) {
    if (offers.length >= room) break;
    const capabilities = await neededBy(engine, row);
    if (!fits(capabilities, request.capabilities)) continue;
    const now = clock.now();
    if (!(await store.offer(row.id, now, (now + offerMs) as Instant))) continue;
    const { id: execution, run, role, attempt } = row;
    offers.push({ execution, run, role, attempt, capabilities });
  }
  return offers;
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
