import { expect, test } from 'vitest';
import { type Bench, bench, plainDefinition, prepared, work } from '../../test/sim/bench-of-one.ts';
import { ada } from '../../test/sim/human.ts';
import type { ExecutionId, RunId } from '../domain/ids.ts';
import type { CancelSignal } from '../kernel/cancel-signal.ts';
import { type Admission, admission } from './admission.ts';
import { planeOffers } from './plane-offers.ts';

const start = ({ client }: Bench) =>
  client.start({ definition: plainDefinition, detached: true, resumedFrom: null, from: null }, ada);

interface Asked {
  readonly free?: number;
  readonly slots?: number;
  readonly can?: string[];
}

/** Its time stands still: a sleep ends only when it is called off. */
function opened(over: Partial<Admission> = {}, here: Bench = bench()) {
  let asleep = () => {};
  const slept = new Promise<void>((resolve) => {
    asleep = resolve;
  });
  const sleep = (_ms: number, signal?: CancelSignal) => {
    asleep();
    return new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()));
  };
  const looks: number[] = [];
  const { store, clock } = here.engine;
  const engine = {
    ...here.engine,
    clock: { ...clock, sleep },
    store: {
      ...store,
      dispatchable: (...of: Parameters<typeof store.dispatchable>) => {
        looks.push(of[1]);
        return store.dispatchable(...of);
      },
    },
  };
  const admitted = { ...admission({ engine, log: () => {} }), ...over };
  const { offersFor } = planeOffers({ engine, admission: admitted });
  const gone = new AbortController();
  const ask = (worker: string, more: Asked = {}) =>
    offersFor({
      worker,
      labels: [],
      slots: more.slots ?? 4,
      free: more.free ?? 1,
      capabilities: more.can ?? ['role:prepare', 'git'],
      waitMs: 1_000,
      signal: gone.signal,
    });
  return { here, ask, looks, slept, leave: () => gone.abort() };
}

test('who waits for work is woken by the commit that dispatches it, and by no clock (XP-8)', async () => {
  const { here, ask, slept } = opened();
  const waiting = ask('a');
  await slept;
  const { id: run } = await start(here);
  expect(await waiting).toMatchObject([{ run, execution: `${run}.1`, role: 'prepare' }]);
});

test('all who ask at once share one look, and no row of it is offered to two', async () => {
  const { here, ask, looks, leave } = opened();
  const runs = [await start(here), await start(here)].map(({ id }) => id);
  const asked = Promise.all(['a', 'b', 'c', 'd'].map((worker) => ask(worker)));
  await Promise.resolve();
  leave();
  const offered = (await asked).flat();
  expect(looks).toHaveLength(1);
  expect(offered.map(({ run }) => run).sort()).toEqual([...runs].sort());
});

test('a row that needs what a worker cannot do is left for another', async () => {
  const { here, ask, leave } = opened();
  await start(here);
  const [cannot, can] = [ask('a', { can: ['role:execute'] }), ask('b')];
  expect(await can).toHaveLength(1);
  leave();
  expect(await cannot).toEqual([]);
});

test('a worker is offered as much as it has room for', async () => {
  const { here, ask } = opened();
  for (let n = 0; n < 3; n += 1) await start(here);
  expect(await ask('a', { free: 2 })).toHaveLength(2);
  expect(await ask('a', { free: 2 })).toHaveLength(1);
});

test('what a worker holds takes of its slots, whatever it says is free; what others hold does not', async () => {
  const { here, ask, leave } = opened();
  const runs: RunId[] = [];
  for (let n = 0; n < 4; n += 1) runs.push((await start(here)).id);
  const claim = (worker: string, n: number) =>
    here.plane.claim({
      execution: `${runs[n]}.1` as ExecutionId,
      holder: { worker, bootId: 'b', pid: 7, started: 1 },
      nonce: `${n}`,
    });
  expect(await claim('a', 0)).toMatchObject({ ok: true });
  expect(await claim('b', 1)).toMatchObject({ ok: true });
  expect(await ask('a', { slots: 2, free: 2 })).toMatchObject([{ run: runs[2] }]);
  const none = ask('a', { slots: 1, free: 1 });
  leave();
  expect(await none).toEqual([]);
  expect(await ask('c', { slots: 1, free: 1 })).toMatchObject([{ run: runs[3] }]);
});

test('an offer that made its group too large is taken back at once, and can be made again', async () => {
  const here = bench();
  const { id: run } = await start(here);
  await work(here, run, prepared);
  const can = { can: ['role:execute', 'agent:command', 'git'] };
  // Another server has filled the group between the look and the offer.
  const late = opened({ isWithin: async () => false }, here);
  const refused = late.ask('a', can);
  late.leave();
  expect(await refused).toEqual([]);
  const row = await here.engine.store.execution(`${run}.2` as ExecutionId);
  expect(row).toMatchObject({ status: 'DISPATCHED' });
  expect(await opened({}, here).ask('b', can)).toMatchObject([{ run, role: 'execute' }]);
});

test('however many commits there are, looks take a fifth of the time; the first ones do not wait', async () => {
  const here = bench();
  const { store } = here.engine;
  const [tookMs, askedMs] = [10, 5_000];
  let nowMs = 0;
  let told = () => {};
  const begun: number[] = [];
  const clock = {
    ...here.engine.clock,
    monotonicMs: () => nowMs,
    sleep: async (ms: number) => {
      nowMs += ms;
    },
  };
  const busy = {
    ...store,
    hints: (listener: () => void) => {
      told = listener;
      return () => {};
    },
    dispatchable: async () => {
      begun.push(nowMs);
      nowMs += tookMs;
      told();
      return [];
    },
  };
  const engine = { ...here.engine, clock, store: busy };
  const { offersFor } = planeOffers({ engine, admission: admission({ engine, log: () => {} }) });
  const { signal } = new AbortController();
  const wanted = { worker: 'a', labels: [], slots: 1, free: 1, capabilities: ['git'] };
  await offersFor({ ...wanted, waitMs: askedMs, signal });
  expect(begun.slice(0, 5)).toEqual([0, 10, 20, 30, 40]);
  const later = begun.filter((ms) => ms >= askedMs / 2).length;
  expect(later * tookMs).toBeLessThanOrEqual(askedMs / 2 / 5 + tookMs);
  expect(later * tookMs).toBeGreaterThan(askedMs / 2 / 6);
});
