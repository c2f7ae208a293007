import { expect, test } from 'vitest';
import { type Bench, bench, plainDefinition } from '../../test/sim/bench-of-one.ts';
import { ada } from '../../test/sim/human.ts';
import type { CancelSignal } from '../kernel/cancel-signal.ts';
import { admission } from './admission.ts';
import { planeOffers } from './plane-offers.ts';

const start = ({ client }: Bench) =>
  client.start({ definition: plainDefinition, detached: true, resumedFrom: null, from: null }, ada);

/** Its time stands still: a sleep ends only when it is called off. */
function opened() {
  const here = bench();
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
  const { offersFor } = planeOffers({ engine, admission: admission({ engine, log: () => {} }) });
  const gone = new AbortController();
  const ask = (worker: string, more: { readonly free?: number; readonly can?: string[] } = {}) =>
    offersFor({
      worker,
      labels: [],
      slots: 4,
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
