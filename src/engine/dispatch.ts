/**
 * The puller of DISPATCHED rows (design/lane-host.md 1). A lane's row is offered, so that two
 * pullers do not spawn two hosts, and then its host is started; checks are pulled by the check host
 * itself, of which only the life is looked after here.
 *
 * Promises: no more runs of one concurrency group work at once than the group allows; one that has
 * to wait says `no_capacity`, and whoever was started first has the first free slot. No lane starts
 * when a budget over runs is spent, or while nobody can tell: then the run is parked, or waits. A
 * spawn that fails is tried again, bounded, then the run is told
 * "Dispatch failed: …" (EV-48). A lost offer starts nothing (D-19).
 */
import type { ExecutionId, Instant, RunId } from '../domain/ids.ts';
import type { NoCapacity } from '../domain/run/work.ts';
import { ProductError } from '../kernel/errors.ts';
import type { BudgetSource } from '../ports/budgets.ts';
import type { Lanes } from '../ports/lanes.ts';
import { notCarried } from '../ports/source.ts';
import type { ExecutionRow, Seat, SeatRow } from '../ports/store.ts';
import { admission, isCheck, type Refused } from './admission.ts';
import type { Capacity } from './capacity.ts';
import { driverPrincipal, type RunRequest, runCommand } from './command.ts';
import { type Among, alone } from './driver-roles.ts';
import type { Engine } from './engine.ts';
import { type Here, placing } from './placing.ts';
import type { LateSeals } from './supervise/late-seals.ts';
import { messageOf } from './words.ts';

export interface DispatchOptions {
  readonly engine: Engine;
  readonly lanes: Lanes;
  readonly offerMs: number;
  /** Absent: nothing is braked over runs. */
  readonly budgets?: BudgetSource | undefined;
  /** Name of this machine in holders; absent: no job is for certain machines. */
  readonly worker?: string;
  readonly log: (line: string) => void;
  /** Absent: there is no other driver. */
  readonly among?: Among;
  /** Of the holder of the seat of checks, at each look; absent: whoever lives does its work. */
  readonly checkHostIsSilent?: (row: SeatRow) => boolean;
  /** Absent: nothing is left here that was sealed. */
  readonly late?: LateSeals;
}

const rowsMax = 128;
const startTriesMax = 3;
const startBackoffMs = 200;
/** Offers of one row that lapse without a claim before the run is told. */
const offersMax = 5;
/** Rows whose offers are remembered; forgetting them all only grants further offers. */
const offersKnownMax = 4_096;
/**
 * A run in a queue is woken as soon as its turn has come; this is for a driver that died meanwhile.
 */
const queuePauseMs = 600_000;
/** Between two looks at who waits in a queue. */
const queueLookMs = 1_000;
/** Before the user's configuration is read again that could not be read. */
const unreadPauseMs = 60_000;

export interface Dispatcher {
  /** One look at the rows; answers how many hosts it started. */
  pull(): Promise<number>;
}

export function dispatcher(options: DispatchOptions): Dispatcher {
  const { engine, lanes, among = alone, late = nothingLate } = options;
  const admitted = admission(options);
  const queue = queueTurn(engine, admitted.room);
  const places = placing(engine, hereOf(options));
  const offers = lapsedOffers();

  const fail = async (row: ExecutionRow, detail: string): Promise<void> => {
    options.log(`${row.id} dispatch failed: ${detail}`);
    await tellRun(engine, row, { type: 'fail_dispatch', detail, execution: row.id });
  };

  /** Whether its host is to be started by us. */
  const offer = async (row: ExecutionRow, turn: Seat | undefined): Promise<boolean> => {
    // It waits for a worker that asks.
    if (lanes.elsewhere === true || !(await places.mayStart(row))) return false;
    const now = engine.clock.now();
    const until = (now + options.offerMs) as Instant;
    if (!(await engine.store.offer(row.id, now, until, turn))) return false;
    if (turn !== undefined && !(await admitted.isWithin(row.run))) {
      // Taken back: a server gave the slot to a worker at the same moment.
      await engine.store.offer(row.id, until, now);
      return false;
    }
    if (offers.mayGoOn(row.id)) return true;
    await fail(row, `no host claimed it in ${offersMax} offers`);
    return false;
  };
  const start = async (row: ExecutionRow): Promise<boolean> => {
    const failure = await tried(engine, () => lanes.start(row));
    if (failure === null) return true;
    await fail(row, failure);
    return false;
  };
  /** What was counted holds until it is offered: an offered row has its slot. */
  const takeSlots = async (rows: readonly ExecutionRow[], turn: Seat | undefined) => {
    const look = await admitted.look(rows);
    const offered: ExecutionRow[] = [];
    for (const row of await admitted.inTurn(rows)) {
      const refused = await look.refused(row);
      if (refused !== null) {
        await tellRefused(engine, row, refused);
        queue.joined();
      } else if (!(await putOff(row)) && (await offer(row, turn))) offered.push(row);
    }
    return offered;
  };
  const startLanes = async (rows: readonly ExecutionRow[]): Promise<number> => {
    if (rows.length === 0) return 0;
    const offered = (await among.slots((turn) => takeSlots(rows, turn))) ?? [];
    let started = 0;
    for (const row of offered) if (await start(row)) started += 1;
    return started;
  };
  const putOff = async (row: ExecutionRow): Promise<boolean> => {
    if (isStranded(row, lanes)) return fail(row, stranded).then(() => true);
    const waiting = await places.waits(row);
    // An opinion waits as it is, for as long as it may.
    if (waiting !== null && row.role !== 'consult')
      await tellRun(engine, row, { type: 'no_capacity', ...waiting });
    return waiting !== null;
  };
  const startChecks = checkStarter({ ...options, among, fail });

  return {
    pull: async () => {
      await queue.wake();
      for (const { run, generation } of await places.found()) await wake(engine, run, generation);
      const ready = await engine.store.dispatchable(engine.clock.now(), rowsMax);
      const rows: ExecutionRow[] = [];
      for (const row of ready) if (await among.lies(row)) rows.push(row);
      const checks = rows.filter(isCheck);
      await startChecks(checks.filter(places.isOurs));
      for (const row of checks) await putOff(row);
      return startLanes(await lanesIn(rows, late));
    },
  };
}

const hereOf = ({ lanes, worker }: DispatchOptions): Here => ({
  own: lanes.elsewhere === true ? null : (worker ?? null),
  ...(lanes.has === undefined ? {} : { has: lanes.has }),
});

/** No worker can have what it starts from, and nothing is started here: nobody ever takes it. */
const isStranded = ({ job }: ExecutionRow, { elsewhere }: Lanes): boolean =>
  job.placement?.here === true && elsewhere === true;
const stranded = `${notCarried}, and this server has no hosts of its own`;

/** Those whose result was not sealed already. */
async function lanesIn(
  rows: readonly ExecutionRow[],
  late: LateSeals,
): Promise<readonly ExecutionRow[]> {
  const kept: ExecutionRow[] = [];
  for (const row of rows) if (!isCheck(row) && !(await late.finish(row))) kept.push(row);
  return kept;
}

const nothingLate: LateSeals = { finish: async () => false };

/** How often each row was offered without a claim. */
function lapsedOffers() {
  const offers = new Map<ExecutionId, number>();
  return {
    /** Counts this offer. */
    mayGoOn: (id: ExecutionId): boolean => {
      const count = (offers.get(id) ?? 0) + 1;
      if (offers.size >= offersKnownMax) offers.clear();
      offers.set(id, count);
      return count <= offersMax;
    },
  };
}

interface CheckMeans extends Pick<DispatchOptions, 'engine' | 'lanes' | 'checkHostIsSilent'> {
  readonly among: Among;
  readonly fail: (row: ExecutionRow, detail: string) => Promise<void>;
}

/**
 * One host runs all checks of a state folder; that it cannot be had is told after some looks. One
 * that stands still while it holds a check is found by its lease, and one that holds none here.
 */
function checkStarter(means: CheckMeans) {
  const { engine, lanes, among, fail, checkHostIsSilent: isSilent = () => false } = means;
  let failures = 0;
  return async (rows: readonly ExecutionRow[]): Promise<void> => {
    if (rows.length === 0 || lanes.elsewhere === true || !among.isKeeper()) return;
    const seat = (await engine.store.seats()).find((row) => row.seat === among.checks);
    const holder = seat?.holder ?? null;
    const isStill = seat !== undefined && isSilent(seat);
    const failure = await tried(engine, () => lanes.ensureCheckHost(holder, isStill));
    failures = failure === null ? 0 : failures + 1;
    if (failure === null || failures < startTriesMax) return;
    for (const row of rows) await fail(row, failure);
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

async function tellRefused(engine: Engine, row: ExecutionRow, refused: Refused): Promise<void> {
  switch (refused.why) {
    case 'budgets_unknown':
      return wait(engine, row, { ms: unreadPauseMs, detail: refused.detail });
    case 'budget_spent':
      return tellRun(engine, row, { type: 'stop_for_budget', ...refused.over });
    case 'no_slot':
      return wait(engine, row, { ms: queuePauseMs, detail: refused.detail, slot: true });
  }
}

async function wake(engine: Engine, run: RunId, generation: number): Promise<void> {
  const fire = { type: 'fire_timer', kind: 'wait', generation } as const;
  await engine.issue(runCommand(run, driverPrincipal, engine.clock.now(), fire));
}

/** Wakes who waits for a slot as soon as one is his; looks only while somebody waits. */
function queueTurn(engine: Engine, look: () => Promise<Capacity>) {
  let hasQueue = true;
  let nextAtMs = Number.NEGATIVE_INFINITY;
  return {
    joined: (): void => {
      hasQueue = true;
    },
    wake: async (): Promise<void> => {
      const nowMs = engine.clock.monotonicMs();
      if (!hasQueue || nowMs < nextAtMs) return;
      nextAtMs = nowMs + queueLookMs;
      const free = await look();
      hasQueue = free.queued > 0;
      for (const { run, generation } of await free.whoseTurn()) {
        await wake(engine, run, generation);
      }
    },
  };
}

async function wait(
  engine: Engine,
  row: ExecutionRow,
  { ms, ...why }: Omit<NoCapacity, 'until'> & { readonly ms: number },
): Promise<void> {
  const until = (engine.clock.now() + ms) as Instant;
  await tellRun(engine, row, { type: 'no_capacity', until, ...why });
}

async function tellRun(engine: Engine, row: ExecutionRow, request: RunRequest): Promise<void> {
  await engine.issue(runCommand(row.run, driverPrincipal, engine.clock.now(), request));
}
