/**
 * One process of the machine that runs checks, with slots, instead of a Node process for each: takes
 * the seat `checks`, pulls `prepare` and `verify` executions, holds their leases, hands in what they
 * came to. It leaves when nothing came for a while. When it crashes its leases are found and lost; a
 * check is then simply run again, so nothing is sealed here.
 *
 * Fault points: check.seated, claimed, started, checked, artifacts-put, result-sent.
 */
import type { ExecutionId } from '../domain/ids.ts';
import type { CancelSignal } from '../kernel/cancel-signal.ts';
import type { Artifacts } from '../ports/artifacts.ts';
import type { Checks } from '../ports/checks.ts';
import type { Clock } from '../ports/clock.ts';
import type { FaultPoints } from '../ports/fault-points.ts';
import type { Ids } from '../ports/ids.ts';
import type { Plane } from '../ports/plane.ts';
import type { Processes } from '../ports/processes.ts';
import type { Seat, Store } from '../ports/store.ts';
import type { Workspace } from '../ports/workspace.ts';
import { runCheck } from './check-run.ts';
import { told } from './lane-work.ts';

export interface CheckHostOptions {
  readonly plane: Plane;
  readonly store: Pick<Store, 'dispatchable' | 'takeSeat' | 'beatSeat' | 'leaveSeat'>;
  readonly checks: Checks;
  readonly workspace: Pick<Workspace, 'openTree'>;
  readonly artifacts: Artifacts;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly processes: Pick<Processes, 'self' | 'lives'>;
  readonly worker: string;
  readonly version: string;
  /** Checks at once. */
  readonly slots: number;
  /** Folder of the containment records of checks; what is left there was not proven ended. */
  readonly checkRecords: string;
  readonly ensureDriver: () => Promise<void>;
  readonly faults?: FaultPoints;
  readonly log?: (line: string) => void;
  readonly spans?: Partial<CheckHostSpans>;
}

export interface CheckHostSpans {
  readonly pollMs: number;
  readonly beatMs: number;
  /** Without work it leaves after this. */
  readonly lingerMs: number;
}

export const checkHostSpans: CheckHostSpans = { pollMs: 300, beatMs: 5_000, lingerMs: 60_000 };

export interface CheckHostExit {
  readonly why: 'idle' | 'asked' | 'seat_taken';
}

export interface CheckHost {
  run(signal: CancelSignal): Promise<CheckHostExit>;
}

const rowsMax = 64;

export function checkHost(options: CheckHostOptions): CheckHost {
  return {
    async run(signal) {
      const { processes, store, worker, version } = options;
      const seat: Seat = { seat: 'checks', holder: processes.self(worker), version };
      if (!(await takeSeat(options, seat))) return { why: 'seat_taken' };
      options.faults?.reached('check.seated');
      try {
        return await serve(options, seat, signal);
      } finally {
        await store.leaveSeat(seat);
      }
    },
  };
}

/** Free, ours, or held by a process that is proven dead. */
async function takeSeat(options: CheckHostOptions, seat: Seat): Promise<boolean> {
  const { store, processes } = options;
  const asked = await store.takeSeat(seat, null);
  if (asked.ours) return true;
  if (asked.row === null || processes.lives(asked.row.holder)) return false;
  return (await store.takeSeat(seat, asked.row)).ours;
}

/** Pulls while there are free slots; what runs is finished before it leaves. */
async function serve(
  options: CheckHostOptions,
  seat: Seat,
  signal: CancelSignal,
): Promise<CheckHostExit> {
  const spans = { ...checkHostSpans, ...options.spans };
  const { clock } = options;
  const running = new Map<ExecutionId, Promise<void>>();
  let busyAt = clock.monotonicMs();
  let beatAt = clock.monotonicMs();
  let why: CheckHostExit['why'] = 'idle';
  while (running.size > 0 || clock.monotonicMs() - busyAt < spans.lingerMs) {
    if (signal.aborted) why = 'asked';
    if (why !== 'idle') break;
    if (clock.monotonicMs() - beatAt >= spans.beatMs) {
      beatAt = clock.monotonicMs();
      if (!(await stillSeated(options, seat))) why = 'seat_taken';
    }
    if (running.size < options.slots && why === 'idle') await pull(options, running, signal);
    if (running.size > 0) busyAt = clock.monotonicMs();
    await clock.sleep(spans.pollMs, signal);
  }
  await Promise.all(running.values());
  return { why };
}

/** A store that does not answer has not taken the seat away. */
async function stillSeated(options: CheckHostOptions, seat: Seat): Promise<boolean> {
  try {
    return await options.store.beatSeat(seat);
  } catch (error: unknown) {
    options.log?.(`seat: ${told(error)}`);
    return true;
  }
}

async function pull(
  options: CheckHostOptions,
  running: Map<ExecutionId, Promise<void>>,
  signal: CancelSignal,
): Promise<void> {
  try {
    const rows = await options.store.dispatchable(options.clock.now(), rowsMax);
    for (const row of rows) {
      const isCheck = row.role === 'prepare' || row.role === 'verify';
      if (!isCheck || running.has(row.id) || running.size >= options.slots) continue;
      const work = runCheck(options, row.id, signal).catch((error: unknown) => {
        options.log?.(`${row.id}: ${told(error)}`);
      });
      running.set(row.id, work);
      void work.finally(() => running.delete(row.id));
    }
  } catch (error: unknown) {
    options.log?.(`pull: ${told(error)}`);
  }
}
