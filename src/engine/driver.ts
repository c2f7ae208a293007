/**
 * The driver: the process that runs the pullers over the rows — dispatch, timers, sweep. On a store
 * of one machine one is active by a row (its seat), others stand by or leave; on one that machines
 * share any number are, each with a seat of its own (DESIGN §2). It owns nothing: killed at any
 * point, the next one goes on from the rows.
 */
import type { RunId } from '../domain/ids.ts';
import { sweepMs } from '../domain/recovery/figures.ts';
import type { CancelSignal } from '../kernel/cancel-signal.ts';
import { isDiskFull } from '../kernel/disk-full.ts';
import { isTooOld, unlessTooOld } from '../kernel/too-old.ts';
import type { BudgetSource } from '../ports/budgets.ts';
import type { Clock } from '../ports/clock.ts';
import type { HeadSeal } from '../ports/heads.ts';
import type { Lanes } from '../ports/lanes.ts';
import type { Plane } from '../ports/plane.ts';
import type { Processes } from '../ports/processes.ts';
import type { SeatRow } from '../ports/store.ts';
import { type CompanionOptions, type Companions, companions } from './companions.ts';
import { dispatcher } from './dispatch.ts';
import { type DriverRoles, driverRoles, ownDriverSeat, type Place } from './driver-roles.ts';
import type { Engine } from './engine.ts';
import { escalationKeeper } from './escalations.ts';
import { sweepReport } from './failing-sweeps.ts';
import { forgetter } from './forget.ts';
import { localPlane } from './local-plane.ts';
import type { SpoolReader } from './logs.ts';
import { type RunHealth, runHealth } from './run-health.ts';
import { holderWatch, keepSeat, type SeatOptions, seatFigures, takeSeat } from './seat.ts';
import { headSigner } from './sign-heads.ts';
import { type Stop, stopAfter } from './stop-signal.ts';
import { lateSeals } from './supervise/late-seals.ts';
import { sweeper } from './sweep.ts';
import { timerPuller } from './timers.ts';
import { messageOf } from './words.ts';

export interface DriverOptions extends CompanionOptions {
  readonly lanes: Lanes;
  /** By which seals of dead hosts are handed in; absent: without a statement of them. */
  readonly plane?: Plane;
  readonly processes: Pick<Processes, 'self' | 'lives'>;
  /** Name of this machine in holders. */
  readonly worker: string;
  /** The state folder that its hosts and spools are in; asked for where the store is shared. */
  readonly place?: Place;
  /** Version of the program, shown by `status`. */
  readonly version: string;
  /** Wait for the seat instead of leaving when another driver lives. */
  readonly standBy?: boolean;
  /** Stands by for the seat and never leaves for want of work: the driver as a service. */
  readonly stay?: boolean;
  /** Signs the heads of runs that park or end; made on first use. Absent: none is signed. */
  readonly heads?: () => Promise<HeadSeal>;
  /** The journal of an execution whose spool lies on this machine; absent: none does. */
  readonly readSpool?: SpoolReader;
  /** What all runs may spend in a day; absent: nothing is braked over runs. */
  readonly budgets?: BudgetSource;
  /** What happened, one line each, for the driver's log. */
  readonly log?: (line: string) => void;
  readonly spans?: Partial<DriverSpans>;
}

export interface DriverSpans {
  readonly sweepMs: number;
  readonly beatMs: number;
  /** A seat or a lease whose beat stands still this long, in two looks, is silent. */
  readonly ttlMs: number;
  readonly offerMs: number;
  /** Longest sleep between two looks at the rows. */
  readonly pollMs: number;
  /** How long the driver stays when no run has work or a timer. */
  readonly lingerMs: number;
}

export const driverDefaults: DriverSpans = {
  sweepMs,
  ...seatFigures,
  offerMs: 10_000,
  pollMs: 500,
  lingerMs: 60_000,
};

export interface DriverEnd {
  readonly why: 'asked' | 'idle' | 'seat_taken';
}

export interface Driver {
  /**
   * Runs until the signal, until another driver holds the seat, or until nothing is left to do.
   * @throws what the store throws, when it has refused everything for a minute, or at once when a
   *   later program has migrated it.
   */
  run(signal: CancelSignal): Promise<DriverEnd>;
}

export function driver(options: DriverOptions): Driver {
  const { engine, processes, worker, version } = options;
  const stay = options.stay ?? false;
  const idle = stay ? { lingerMs: Number.POSITIVE_INFINITY } : {};
  const spans: DriverSpans = { ...driverDefaults, ...options.spans, ...idle };
  const log = options.log ?? (() => {});
  const holder = processes.self(worker);
  const { isShared } = engine.store;
  const place = isShared ? (options.place ?? { name: worker, lies: async () => true }) : null;
  const seatOptions = {
    store: engine.store,
    clock: engine.clock,
    processes,
    seat: { seat: isShared ? ownDriverSeat(holder) : 'driver', holder, version },
    beatMs: spans.beatMs,
    ttlMs: spans.ttlMs,
    standBy: stay || (options.standBy ?? false),
  } satisfies SeatOptions;

  /** The pullers for as long as the seat is ours; answers whether it still was at the end. */
  const hold = async (stop: Stop): Promise<boolean> => {
    let ours = true;
    const full = fullWatch(engine.clock);
    let givenUp: unknown = null;
    const failed = (error: unknown, forMs: number) => {
      full.saw(error);
      log(`beat: ${messageOf(error)}`);
      // A quiet round writes nothing, and so does not hear of it.
      if (forMs >= patienceMs(error) && !stop.signal.aborted) {
        givenUp = error;
        stop.stop();
      }
    };
    const keeping = keepSeat(seatOptions, stop.signal, failed).then((kept) => {
      ours = kept;
      stop.stop();
    });
    const roles = driverRoles(seatOptions, place);
    const among = { roles, worker: isShared ? worker : null };
    const beside = companions(options, { everyMs: spans.sweepMs, log, ...among });
    try {
      await work(options, { spans, log, beside, full, roles }, stop.signal);
    } finally {
      await beside.close();
      await unlessTooOld(() => roles.leave());
      stop.stop();
      await keeping;
      if (ours) await unlessTooOld(() => engine.store.leaveSeat(seatOptions.seat));
    }
    if (givenUp !== null) throw givenUp;
    return ours;
  };
  /** One term in the seat; null: it left the seat idle and then found that work had come. */
  const term = async (outer: CancelSignal): Promise<DriverEnd | null> => {
    const stop = stopAfter(outer);
    const ours = (await takeSeat(seatOptions, stop.signal)) && (await hold(stop));
    stop.stop();
    if (outer.aborted) return { why: 'asked' };
    // A machine that slept may find its seat given away; the service waits for it again. Where
    // each has its own, nobody else has taken it.
    if (!ours) return stay || isShared ? null : { why: 'seat_taken' };
    // A command that saw our seat relied on us; it was committed before we left.
    return (await hasWork(engine)) ? null : { why: 'idle' };
  };

  return {
    run: async (signal) => {
      for (;;) {
        const end = await term(signal);
        if (end !== null) return end;
      }
    },
  };
}

interface Tuning {
  readonly spans: DriverSpans;
  readonly log: (line: string) => void;
  readonly beside: Companions;
  readonly full: FullWatch;
  readonly roles: DriverRoles;
}

interface FullWatch {
  /** Of the store; only a full disk is kept. */
  saw(error: unknown): void;
  readonly sinceMs: () => number;
}

/** While the store has no space no host can beat, so that silence says nothing about hosts. */
function fullWatch({ monotonicMs }: Pick<Clock, 'monotonicMs'>): FullWatch {
  let atMs = Number.NEGATIVE_INFINITY;
  return {
    saw: (error) => {
      if (isDiskFull(error)) atMs = monotonicMs();
    },
    sinceMs: () => monotonicMs() - atMs,
  };
}

const sameLineMs = 60_000;

/** The same line again is said once a minute; null: the trouble is over, and that is said. */
function sparingly(
  { monotonicMs }: Pick<Clock, 'monotonicMs'>,
  log: (line: string) => void,
): (line: string | null) => void {
  let last: string | null = null;
  let saidAtMs = Number.NEGATIVE_INFINITY;
  return (line) => {
    const isSame = line === last && monotonicMs() - saidAtMs < sameLineMs;
    if (isSame || (line === null && last === null)) return;
    log(line ?? 'round: good again');
    last = line;
    saidAtMs = monotonicMs();
  };
}

/** After this long without one good round the store is given up on. */
const refusedMs = 60_000;
/** A store without space comes back by itself once somebody made room: that is waited for. */
const fullMs = 12 * 3_600_000;
/** One that a later program has migrated will never take anything of this one. */
function patienceMs(error: unknown): number {
  if (isTooOld(error)) return 0;
  return isDiskFull(error) ? fullMs : refusedMs;
}
/** Sweeps that fail in a row before sweeping pauses (DESIGN §13). */
const failingSweepsMax = 3;
const breakerSweeps = 4;

/** The pullers, until the signal or until there has been nothing to do for `lingerMs`. */
async function work(options: DriverOptions, tuning: Tuning, signal: CancelSignal): Promise<void> {
  const { engine, lanes, plane = localPlane(engine) } = options;
  const { spans, log, beside, roles } = tuning;
  const { clock } = engine;
  const dispatch = dispatcher({
    ...{ engine, lanes, offerMs: spans.offerMs, log, among: roles.among },
    budgets: options.budgets,
    worker: options.worker,
    checkHostIsSilent: checkHostWatch(options, tuning),
    late: lateSeals({ executions: engine.store, plane, lanes, log }),
  });
  const health = runHealth(engine, log);
  const sweeps = sweepTurn(options, tuning, health);
  const escalations = escalationKeeper({ engine, readSpool: options.readSpool, log });
  const timers = timerPuller(engine, { log, force: sweeps.force, escalations });
  const signing = signingTurn(options, tuning);
  const tell = sparingly(clock, log);
  let goodAtMs = clock.monotonicMs();
  let busyAtMs = goodAtMs;
  while (!signal.aborted) {
    try {
      await roles.turn();
      await beside.wake();
      await timers.pull();
      await dispatch.pull();
      await sweeps.expired();
      await sweeps.turn();
      await beside.turn(signal);
      goodAtMs = clock.monotonicMs();
      tell(null);
      const isBusy = (await hasWork(engine)) || health.hasSuspects();
      if (isBusy) busyAtMs = goodAtMs;
      await signing.turn(isBusy);
    } catch (error: unknown) {
      tuning.full.saw(error);
      tell(`round: ${messageOf(error)}`);
      const isGivenUp = clock.monotonicMs() - goodAtMs >= patienceMs(error);
      // Who was asked to leave has nothing to give up.
      if (isGivenUp && !signal.aborted) throw error;
    }
    if (clock.monotonicMs() - busyAtMs >= spans.lingerMs) return;
    await clock.sleep(spans.pollMs, signal);
  }
}

function checkHostWatch({ engine, processes }: DriverOptions, { spans, full }: Tuning) {
  const { ttlMs, beatMs } = spans;
  const seen = holderWatch({ clock: engine.clock, processes, ttlMs, beatMs });
  return (row: SeatRow): boolean => seen(row) === 'silent' && full.sinceMs() >= ttlMs;
}

/** Sweeps at the start and then every `sweepMs`; a breaker spaces out sweeps that keep failing. */
function sweepTurn(options: DriverOptions, tuning: Tuning, health: RunHealth) {
  const { spans, log, full, roles } = tuning;
  const { engine, lanes, plane = localPlane(engine) } = options;
  const { clock } = engine;
  const { ttlMs } = spans;
  const sinceFullMs = full.sinceMs;
  const sweeps = sweeper({ engine, plane, lanes, ttlMs, sinceFullMs, log });
  const spools = forgetter(engine, lanes, log);
  let nextAtMs = Number.NEGATIVE_INFINITY;
  const report = sweepReport(engine.store, options.processes.self(options.worker));
  let failures = 0;
  /** Beside the log, which nobody reads; where the store fails as well, the log has both. */
  const tell = async (error: unknown): Promise<void> => {
    if (failures < failingSweepsMax) return;
    try {
      await report.failing(failures, error, clock.now());
    } catch (untold: unknown) {
      log(`failing sweeps cannot be told: ${messageOf(untold)}`);
    }
  };
  return {
    /** Before a deadline says that somebody did not end: what this machine can end is ended. */
    force: async (run: RunId): Promise<void> => {
      if (roles.keeper.isOurs()) await sweeps.force(run);
    },
    /** In every round: a takeover is not to wait for the next sweep. */
    expired: async (): Promise<void> => {
      if (roles.keeper.isOurs()) await sweeps.sweepExpired();
    },
    turn: async (): Promise<void> => {
      if (clock.monotonicMs() < nextAtMs) return;
      const isOpen = failures >= failingSweepsMax;
      nextAtMs = clock.monotonicMs() + spans.sweepMs * (isOpen ? breakerSweeps : 1);
      try {
        // Of two that end what a dead host left, the later could hit what follows it.
        if (roles.keeper.isOurs()) await sweeps.sweep();
        await health.look();
        if (roles.keeper.isOurs()) await spools.forgetEnded();
        await roles.clean();
        failures = 0;
        await report.good();
      } catch (error: unknown) {
        failures += 1;
        log(`sweep ${failures} failing in a row: ${messageOf(error)}`);
        await tell(error);
      }
    },
  };
}

/**
 * Signs the heads of runs that rest: as often as it sweeps, and at once when the last run rests.
 * A key that cannot be had stops nobody's work; `audit verify` says what is not signed.
 */
function signingTurn({ engine, heads }: DriverOptions, { spans, log }: Tuning) {
  const signer = heads === undefined ? null : headSigner(engine, heads);
  let nextAtMs = Number.NEGATIVE_INFINITY;
  let wasBusy = true;
  return {
    turn: async (isBusy: boolean): Promise<void> => {
      const nowMs = engine.clock.monotonicMs();
      const isDue = nowMs >= nextAtMs || (wasBusy && !isBusy);
      wasBusy = isBusy;
      if (signer === null || !isDue) return;
      nextAtMs = nowMs + spans.sweepMs;
      try {
        await signer.signRested();
      } catch (error: unknown) {
        log(`heads: ${messageOf(error)}`);
      }
    },
  };
}

/** Whether any run has an execution that can move, or a timer. */
async function hasWork(engine: Engine): Promise<boolean> {
  if ((await engine.store.nextTimer()) !== null) return true;
  return (await engine.store.openExecutions()).some(({ status }) => status !== 'UNKNOWN');
}
