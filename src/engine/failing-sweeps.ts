/**
 * That the sweep of a driver keeps failing is a fact beside the streams, since nobody reads a log:
 * `status`, `doctor` and the metrics tell it. One a machine, so that what a driver left that died
 * is taken over by the next.
 */
import type { Holder } from '../domain/execution/state.ts';
import type { Instant } from '../domain/ids.ts';
import { amountOf, fieldsOf, parsedJson, textOf } from '../kernel/json.ts';
import type { FailingSweeps } from '../ports/client.ts';
import type { SeatRow, Store } from '../ports/store.ts';
import { messageOf } from './words.ts';

const prefix = 'sweeps:';
const listMax = 1_000;
const detailMax = 200;

type Facts = Pick<Store, 'fact' | 'facts' | 'swapFact'>;
type Driver = Pick<Holder, 'bootId' | 'pid' | 'started'>;

export interface SweepReport {
  /** @throws what the store throws. */
  failing(count: number, error: unknown, at: Instant): Promise<void>;
  /** Nothing fails any more. */
  good(): Promise<void>;
}

export function sweepReport(store: Facts, holder: Holder): SweepReport {
  const name = `${prefix}${holder.worker}`;
  const { bootId, pid, started } = holder;
  let mayStand = true;
  return {
    failing: async (count, error, at) => {
      mayStand = true;
      const before = await store.fact(name);
      const told = before === null ? null : toldIn(before);
      const since = told !== null && isOf(told.by, holder) ? told.since : at;
      const detail = messageOf(error).slice(0, detailMax);
      const by = { bootId, pid, started };
      await store.swapFact(name, before, JSON.stringify({ by, count, detail, since }));
    },
    good: async () => {
      if (!mayStand) return;
      const before = await store.fact(name);
      if (before !== null) await store.swapFact(name, before, null);
      mayStand = false;
    },
  };
}

/** Of those seats alone: what a driver said that is no more says nothing of now. */
export async function withSweeps<S extends SeatRow>(
  store: Pick<Store, 'facts'>,
  seats: readonly S[],
): Promise<readonly (S & { readonly failingSweeps?: FailingSweeps })[]> {
  if (seats.length === 0) return [];
  const told = (await store.facts(prefix, listMax)).flatMap(({ value }) => toldIn(value) ?? []);
  return seats.map((seat) => {
    const own = told.find(({ by }) => isOf(by, seat.holder));
    if (own === undefined) return seat;
    const { count, detail, since } = own;
    return { ...seat, failingSweeps: { count, detail, since } };
  });
}

/** Of the driver that fares worst. */
export const failingMost = (seats: readonly { readonly failingSweeps?: FailingSweeps }[]): number =>
  Math.max(0, ...seats.map(({ failingSweeps }) => failingSweeps?.count ?? 0));

const isOf = (one: Driver, other: Driver): boolean =>
  one.bootId === other.bootId && one.pid === other.pid && one.started === other.started;

function toldIn(value: string): (FailingSweeps & { readonly by: Driver }) | null {
  const told = fieldsOf(parsedJson(value));
  const by = fieldsOf(told['by']);
  const bootId = textOf(by['bootId']);
  const [pid, started] = [amountOf(by['pid']), amountOf(by['started'])];
  const [count, since] = [amountOf(told['count']), amountOf(told['since'])];
  if (bootId === null || pid === null || started === null) return null;
  if (count === null || since === null) return null;
  const detail = textOf(told['detail']) ?? '';
  return { by: { bootId, pid, started }, count, since: since as Instant, detail };
}
