/** Of `pawl doctor`: the store and its chains, the driver and what was left behind. */

import { isDriverSeat } from '../kernel/driver-seats.ts';
import type { RunView } from '../ports/client.ts';
import type { Health, HealthCheck } from '../ports/health.ts';
import { calledAs } from './called.ts';
import type { Context } from './command.ts';
import type { Ask } from './doctor-ask.ts';
import { bytes, clock, plural, shortSpan } from './format.ts';
import { isService, noDriver, sweepTrouble } from './seats.ts';
import { isUnderWay } from './under-way.ts';

const runsMax = 1_000;
/** A store whose newest record lies this far ahead tells of a clock that went back. */
const aheadMs = 5 * 60_000;
const pidsMax = 5;

export async function storeSection(
  context: Context,
  health: Health,
  ask: Ask,
): Promise<HealthCheck[]> {
  return [
    ...(await ask('store.place', health.store)),
    ...(await ask('store.chain', () => chainCheck(context))),
    ...(await ask('store.clock', async () => clockCheck(context, await everyRun(context)))),
  ];
}

async function chainCheck(context: Context): Promise<HealthCheck> {
  const { streams, problems } = await (await context.client()).audit();
  const isWhole = problems.length === 0;
  return {
    id: 'store.chain',
    state: isWhole ? 'ok' : 'fail',
    detail: isWhole
      ? `chain verified, ${plural(streams, 'stream')}`
      : `${plural(problems.length, 'problem')} in the audit`,
    next: isWhole ? null : `${context.called} audit verify`,
  };
}

/** Nobody is asked on the net: what the store has seen is all there is to compare with. */
function clockCheck({ io }: Context, runs: readonly RunView[]): HealthCheck {
  const newest = Math.max(0, ...runs.map(({ updatedAt }) => updatedAt));
  const isBehind = newest > io.now() + aheadMs;
  return {
    id: 'store.clock',
    state: isBehind ? 'warn' : 'ok',
    detail: isBehind
      ? `the clock is behind the newest record (${clock(io, newest)})`
      : 'clock not behind the records',
    next: isBehind ? 'set the clock of this machine' : null,
  };
}

async function everyRun(context: Context): Promise<readonly RunView[]> {
  const client = await context.client();
  const filter = { project: null, open: false, status: [], since: null, demo: true } as const;
  return client.list({ ...filter, limit: runsMax });
}

export async function driverSection(
  context: Context,
  health: Health,
  ask: Ask,
): Promise<HealthCheck[]> {
  const open = async (): Promise<readonly RunView[]> => {
    const client = await context.client();
    const filter = { project: null, open: true, status: [], since: null, demo: true } as const;
    return client.list({ ...filter, limit: runsMax });
  };
  const orphans = async (): Promise<HealthCheck> =>
    orphanCheck(await health.marked(), await open(), await everyRun(context));
  return [
    ...(await ask('driver.seat', async () => seatCheck(context, await open()))),
    ...(await ask('driver.orphans', orphans)),
    ...(await ask('driver.leftovers', () => leftoverCheck(context))),
  ];
}

async function seatCheck(context: Context, open: readonly RunView[]): Promise<HealthCheck> {
  const { io, called } = context;
  const client = await context.client();
  const driver = (await client.drivers()).find(isDriverSeat) ?? null;
  const id = 'driver.seat';
  if (driver !== null) {
    const [trouble] = sweepTrouble(driver);
    if (trouble !== undefined) return trouble;
    const how = isService(driver.version) ? 'service, ' : '';
    const up = shortSpan(Math.max(0, io.now() - driver.since));
    return { id, state: 'ok', detail: `${how}pid ${driver.holder.pid}, up ${up}`, next: null };
  }
  if (!open.some(isUnderWay))
    return { id, state: 'ok', detail: 'none lives, and none is needed', next: null };
  const fix = { says: 'started a driver', run: () => client.ensureDriver() };
  return { ...noDriver, next: calledAs(noDriver.next, called), fix };
}

/**
 * Of an execution of this store that is not open any more; its marker says whose it was. Another
 * store's is not ours to judge.
 */
function orphanCheck(
  marked: Awaited<ReturnType<Health['marked']>>,
  open: readonly RunView[],
  every: readonly RunView[],
): HealthCheck {
  const id = 'driver.orphans';
  if (marked === null) {
    return { id, state: 'unknown', detail: 'orphan processes cannot be told here', next: null };
  }
  const known = new Set(
    open.flatMap(({ execution }) => (execution === null ? [] : [execution.id as string])),
  );
  const ours = new Set(every.map((run) => run.id as string));
  const orphans = marked.filter(
    ({ execution }) =>
      !known.has(execution) && ours.has(execution.slice(0, execution.lastIndexOf('.'))),
  );
  if (orphans.length === 0) return { id, state: 'ok', detail: 'no orphan process', next: null };
  const shown = orphans.slice(0, pidsMax).map(({ pid, execution }) => `${pid} (${execution})`);
  const more = orphans.length > pidsMax ? ', …' : '';
  return {
    id,
    state: 'warn',
    detail: `${orphans.length === 1 ? '1 process' : `${orphans.length} processes`} of ended executions: ${shown.join(', ')}${more}`,
    next: 'look at them with ps, and end what nobody needs',
  };
}

async function leftoverCheck(context: Context): Promise<HealthCheck> {
  const client = await context.client();
  const filter = { project: null, olderThanMs: null, landedOnly: false };
  // Artifacts go by themselves; what is named here waits for somebody.
  const items = (await client.prunable(filter)).filter(({ artifacts }) => artifacts === undefined);
  const id = 'driver.leftovers';
  if (items.length === 0) return { id, state: 'ok', detail: 'nothing left over', next: null };
  const size = bytes(items.reduce((sum, item) => sum + item.bytes, 0));
  const detail = `${plural(items.length, 'leftover worktree')} ${size}`;
  return { id, state: 'warn', detail, next: `${context.called} prune` };
}
