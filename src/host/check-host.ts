/**
 * One process of the machine that runs checks, with slots, instead of a Node process for each:
 * takes the seat `checks`, pulls `prepare` and `verify` executions, holds their leases, hands in
 * what they came to. It leaves when nothing came for a while. When it crashes its leases are found
 * and lost; a check is then simply run again, so nothing is sealed here.
 *
 * Fault points: check.seated, claimed, started, checked, artifacts-put, result-sent.
 */

import { isLaneRole } from '../domain/execution/roles.ts';
import type { ExecutionId } from '../domain/ids.ts';
import { mayTake } from '../domain/placement/placement.ts';
import type { CancelSignal } from '../kernel/cancel-signal.ts';
import { isTooOld, unlessTooOld } from '../kernel/too-old.ts';
import type { Seat } from '../ports/store.ts';
import type { CheckHostOptions, CheckHostSpans } from './check-host-options.ts';
import { runCheck } from './check-run.ts';
import { told } from './lane-work.ts';

export type { CheckHostOptions, CheckHostSpans } from './check-host-options.ts';

export const checkHostSpans: CheckHostSpans = { pollMs: 300, beatMs: 5_000, lingerMs: 60_000 };

export interface CheckHostExit {
  /** `too_old`: a later program has migrated the store, and starts a host of its own. */
  readonly why: 'idle' | 'asked' | 'seat_taken' | 'too_old';
}

export interface CheckHost {
  run(signal: CancelSignal): Promise<CheckHostExit>;
}

const rowsMax = 64;

export function checkHost(options: CheckHostOptions): CheckHost {
  return {
    async run(signal) {
      const { processes, store, worker, version } = options;
      const seat: Seat = {
        seat: options.seat ?? 'checks',
        holder: processes.self(worker),
        version,
      };
      if (!(await takeSeat(options, seat))) return { why: 'seat_taken' };
      options.faults?.reached('check.seated');
      try {
        return await serve(options, seat, signal);
      } finally {
        await unlessTooOld(() => store.leaveSeat(seat));
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

interface Service {
  readonly options: CheckHostOptions;
  readonly seat: Seat;
  readonly signal: CancelSignal;
  readonly running: Map<ExecutionId, Promise<void>>;
}

/**
 * Pulls while there are free slots; what runs is finished before it leaves, unless nobody would
 * take what it comes to.
 */
async function serve(
  options: CheckHostOptions,
  seat: Seat,
  signal: CancelSignal,
): Promise<CheckHostExit> {
  const spans = { ...checkHostSpans, ...options.spans };
  const ending = new AbortController();
  const end = (): void => ending.abort();
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  const service: Service = { options, seat, signal: ending.signal, running: new Map() };
  const { clock } = options;
  let busyAt = clock.monotonicMs();
  let beatAt = busyAt;
  let why: CheckHostExit['why'] | null = null;
  while (why === null) {
    const now = clock.monotonicMs();
    const isBeatDue = now - beatAt >= spans.beatMs;
    if (isBeatDue) beatAt = now;
    why = await turn(service, isBeatDue);
    if (service.running.size > 0) busyAt = now;
    if (now - busyAt >= spans.lingerMs) why ??= 'idle';
    if (why === null) await clock.sleep(spans.pollMs, ending.signal);
  }
  if (why === 'too_old') end();
  await Promise.all(service.running.values());
  signal.removeEventListener('abort', end);
  return { why };
}

/** Null: go on. */
async function turn(service: Service, isBeatDue: boolean): Promise<CheckHostExit['why'] | null> {
  const { options, seat, signal, running } = service;
  if (signal.aborted) return 'asked';
  const lost = isBeatDue ? await seatLost(options, seat) : null;
  if (lost !== null) return lost;
  if (running.size < options.slots) await pull(service);
  return null;
}

/** A store that does not answer has not taken the seat away. */
async function seatLost(
  options: CheckHostOptions,
  seat: Seat,
): Promise<'seat_taken' | 'too_old' | null> {
  try {
    return (await options.store.beatSeat(seat)) ? null : 'seat_taken';
  } catch (error: unknown) {
    options.log?.(`seat: ${told(error)}`);
    return isTooOld(error) ? 'too_old' : null;
  }
}

async function pull({ options, running, signal }: Service): Promise<void> {
  try {
    const rows = await options.store.dispatchable(options.clock.now(), rowsMax);
    for (const row of rows) {
      // It is for a worker elsewhere; the claim would say so.
      if (!mayTake(row.job.placement, { id: options.worker, labels: [], isOwn: true })) continue;
      if (isLaneRole(row.role) || running.has(row.id) || running.size >= options.slots) continue;
      if ((await options.lies?.(row)) === false) continue;
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
