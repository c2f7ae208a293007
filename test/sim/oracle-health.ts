/**
 * W6: what is left undone that somebody could do, as the store and the machine know it.
 */
import type { Instant } from '../../src/domain/ids.ts';
import type { Store } from '../../src/ports/store.ts';
import type { Machine } from './machine.ts';
import type { VirtualTime } from './time.ts';
import { holds } from './violation.ts';

const patienceMs = 1_800_000;
/** More than a lease, the silence of a lane, and the longest that a driver is stopped for. */
const aloneMs = 900_000;

export interface HealthJudge {
  readonly store: Store;
  readonly machine: Pick<Machine, 'agents' | 'processes' | 'processOf'>;
  readonly time: Pick<VirtualTime, 'now' | 'wall'>;
}

/** By what was found undone, at how many looks. */
export type Late = Map<string, number>;

/** What is due or ready is taken within so many looks. */
export async function judgeDue(
  { store, time }: HealthJudge,
  late: Late,
  looksMax: number,
): Promise<void> {
  const names = await dueAt(store, time.wall());
  forget(late, names);
  for (const name of names) {
    const looks = (late.get(name) ?? 0) + 1;
    late.set(name, looks);
    holds(looks <= looksMax, 'W6', `${name}, and nobody does anything`);
  }
}

/** Since when each was found left alone. */
export type Alone = Map<string, number>;

/** A driver that was awake since then has done something about it. */
export async function judgeAlone(judge: HealthJudge, alone: Alone): Promise<void> {
  const { machine, time } = judge;
  const names = await leftAlone(judge);
  forget(alone, names);
  const drivers = machine.processes().filter(({ name }) => name === 'driver');
  for (const name of names) {
    const since = alone.get(name) ?? time.now();
    alone.set(name, since);
    if (time.now() - since < aloneMs) continue;
    const idle = drivers.find(({ awakeSince }) => awakeSince !== null && awakeSince <= since);
    holds(idle === undefined, 'W6', `${name}, and driver ${idle?.holder.pid} does nothing`);
  }
}

function forget(known: Map<string, unknown>, names: readonly string[]): void {
  for (const name of known.keys()) if (!names.includes(name)) known.delete(name);
}

async function dueAt(store: Store, now: number): Promise<readonly string[]> {
  const longAgo = (now - patienceMs) as Instant;
  const timers = await store.timersDue(longAgo, 100);
  const rows = await store.dispatchable(now as Instant, 100);
  return [
    ...timers.map(({ run, kind, generation }) => `timer ${kind} ${generation} of ${run} is due`),
    ...rows.filter(({ createdAt }) => createdAt < longAgo).map(({ id }) => `${id} is ready`),
  ];
}

/**
 * What the machine knows and no stream says: whose holder is gone, and who stands still; and who
 * was parked without its page being kept.
 */
async function leftAlone({ store, machine, time }: HealthJudge): Promise<readonly string[]> {
  const due = await store.timersDue(time.wall() as Instant, 1_000);
  const pages = due.filter(({ kind }) => kind === 'escalation');
  const found = pages.map(({ run, dueAt }) => `the page of ${run}, parked at ${dueAt}, is due`);
  for (const { id, lease } of await store.openExecutions()) {
    if (lease === null) continue;
    const holder = machine.processOf(lease.holder);
    if (holder === null) found.push(`the holder ${lease.grantId} of ${id} is gone`);
    else if (holder.awakeSince === null)
      found.push(`the holder ${lease.grantId} of ${id} is stopped`);
    const stands = machine
      .agents()
      .find(
        ({ execution, alive, stalledSince }) => execution === id && alive && stalledSince !== null,
      );
    if (stands !== undefined) found.push(`${id} stands still since ${stands.stalledSince}`);
  }
  return found;
}
