/**
 * The puller of DISPATCHED rows (design/lane-host.md 1). A lane's row is offered, so that two
 * pullers do not spawn two hosts, and then its host is started; checks are pulled by the check host
 * itself, of which only the life is looked after here.
 *
 * Promises: no more runs of one concurrency group work at once than the group allows; one that has
 * to wait says `no_capacity`. A spawn that fails is tried again, bounded, then the run is told
 * "Dispatch failed: …" (EV-48). A lost offer starts nothing (D-19).
 */
import type { ExecutionId, Instant } from '../domain/ids.ts';
import { ProductError } from '../kernel/errors.ts';
import type { Lanes } from '../ports/lanes.ts';
import type { ExecutionRow } from '../ports/store.ts';
import { type Capacity, capacity } from './capacity.ts';
import { driverPrincipal, type RunRequest, runCommand } from './command.ts';
import type { Engine } from './engine.ts';
import { messageOf } from './words.ts';

export interface DispatchOptions {
  readonly engine: Engine;
  readonly lanes: Lanes;
  readonly offerMs: number;
  readonly log: (line: string) => void;
}

const rowsMax = 128;
const startTriesMax = 3;
const startBackoffMs = 200;
/** Offers of one row that lapse without a claim before the run is told. */
const offersMax = 5;
/** Rows whose offers are remembered; forgetting them all only grants further offers. */
const offersKnownMax = 4_096;
/** First pause of a run that found its group full; it grows with what the run has waited. */
const capacityWaitMs = 5_000;
const capacityWaitMaxMs = 60_000;

export interface Dispatcher {
  /** One look at the rows; answers how many hosts it started. */
  pull(): Promise<number>;
}

export function dispatcher(options: DispatchOptions): Dispatcher {
  const { engine, lanes } = options;
  const room = capacity(engine);
  const offers = new Map<ExecutionId, number>();
  let checkFailures = 0;

  const fail = async (row: ExecutionRow, detail: string): Promise<void> => {
    options.log(`${row.id} dispatch failed: ${detail}`);
    await tellRun(engine, row, { type: 'fail_dispatch', detail });
  };

  const offer = async (row: ExecutionRow): Promise<boolean> => {
    const now = engine.clock.now();
    const until = (now + options.offerMs) as Instant;
    if (!(await engine.store.offer(row.id, now, until))) return false;
    const count = (offers.get(row.id) ?? 0) + 1;
    if (offers.size >= offersKnownMax) offers.clear();
    offers.set(row.id, count);
    if (count <= offersMax) return start(row);
    await fail(row, `no host claimed it in ${offersMax} offers`);
    return false;
  };
  const start = async (row: ExecutionRow): Promise<boolean> => {
    const failure = await tried(engine, () => lanes.start(row));
    if (failure === null) return true;
    await fail(row, failure);
    return false;
  };
  const startLanes = async (rows: readonly ExecutionRow[]): Promise<number> => {
    const free = rows.length === 0 ? null : await room.look();
    let started = 0;
    for (const row of rows) {
      if (free !== null && !(await free.take(row.run))) await wait(engine, free, row);
      else if (await offer(row)) started += 1;
    }
    return started;
  };
  const startChecks = async (rows: readonly ExecutionRow[]): Promise<void> => {
    if (rows.length === 0) return;
    const seat = (await engine.store.seats()).find((row) => row.seat === 'checks');
    const failure = await tried(engine, () => lanes.ensureCheckHost(seat?.holder ?? null));
    checkFailures = failure === null ? 0 : checkFailures + 1;
    if (failure !== null && checkFailures >= startTriesMax) {
      for (const row of rows) await fail(row, failure);
    }
  };

  return {
    pull: async () => {
      const rows = await engine.store.dispatchable(engine.clock.now(), rowsMax);
      const isCheck = ({ role }: ExecutionRow) => role === 'prepare' || role === 'verify';
      await startChecks(rows.filter(isCheck));
      const started = await startLanes(rows.filter((row) => !isCheck(row)));
      return started;
    },
  };
}

/** Null when it worked; what failed after bounded retries of what may pass. */
async function tried(engine: Engine, act: () => Promise<void>): Promise<string | null> {
  for (let tries = 1; ; tries += 1) {
    try {
      await act();
      return null;
    } catch (error: unknown) {
      const transient = error instanceof ProductError && error.retryable;
      if (!transient || tries >= startTriesMax) return messageOf(error);
      await engine.clock.sleep(startBackoffMs * 2 ** tries * (0.5 + engine.ids.fraction()));
    }
  }
}

async function wait(engine: Engine, free: Capacity, row: ExecutionRow): Promise<void> {
  const waitedMs = await free.waitedMs(row.run);
  const pauseMs = Math.min(capacityWaitMaxMs, capacityWaitMs + waitedMs / 4);
  const jitter = 0.75 + engine.ids.fraction() / 2;
  const until = (engine.clock.now() + Math.ceil(pauseMs * jitter)) as Instant;
  const detail = await free.describe(row.run);
  await tellRun(engine, row, { type: 'no_capacity', until, detail });
}

async function tellRun(engine: Engine, row: ExecutionRow, request: RunRequest): Promise<void> {
  await engine.issue(runCommand(row.run, driverPrincipal, engine.clock.now(), request));
}
