/** What a worker may ask beside its work: secrets, the rest of a budget, rows of its journal. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { WorldError } from '../../src/kernel/errors.ts';
import { plainDefinition } from '../sim/bench-of-one.ts';
import {
  claimed,
  executionOf,
  type PlaneServer,
  planeServer,
  type RemoteWorker,
  secretValue,
  slowReference,
  startedRun,
  unsetReference,
} from '../support/plane-server.ts';

let server: PlaneServer;
let worker: RemoteWorker;

beforeAll(async () => {
  server = await planeServer();
  worker = await server.worker();
});
afterAll(() => server.close());

const granted = async (more: object = {}) => {
  const run = await startedRun(server, more);
  return (await claimed(worker.plane, worker.id, executionOf(run))).granted;
};

test('a secret that cannot be had is told with where it was read, and one that is not named alike (XP-29)', async () => {
  const grant = await granted({ secrets: { GOOD: 'env:THERE', GONE: unsetReference } });
  expect(await worker.plane.credential({ ...grant, name: 'GOOD' })).toBe(secretValue);
  const found = async (name: string) => {
    const asking = worker.plane.credential({ ...grant, name });
    return asking.catch(({ details }: WorldError) => details.found);
  };
  const why = 'env:NOWHERE on the server here: NOWHERE is not set';
  expect(await found('GONE')).toBe(why);
  expect(await found('OTHER')).toBe('credential.refused');
  expect(await found('toString')).toBe('credential.refused');
  expect(server.logged).toEqual([`${grant.execution} secret GONE: ${why}`]);
});

test('a secret that is asked for again while it is had is had once; its value is not kept (XP-15)', async () => {
  const grant = await granted({ secrets: { SLOW: slowReference, OTHER: slowReference } });
  const before = server.slow.runs();
  const heard = server.heard.length;
  const ask = (name: string) => worker.plane.credential({ ...grant, name });
  const asking = [ask('SLOW'), ask('SLOW'), ask('OTHER'), ask('SLOW')];
  await vi.waitFor(() => expect(server.heard).toHaveLength(heard + 4));
  await vi.waitFor(() => expect(server.slow.runs()).toBe(before + 2));
  server.slow.release();
  expect(await Promise.all(asking)).toEqual(Array(4).fill(secretValue));
  expect(server.slow.runs()).toBe(before + 2);
  const again = ask('SLOW');
  await vi.waitFor(() => expect(server.slow.runs()).toBe(before + 3));
  server.slow.release();
  expect(await again).toBe(secretValue);
});

test('rows of a journal are wanted in order, each once; a gap is said', async () => {
  const grant = await granted();
  const row = { at: 1, kind: 'said', text: 'x' };
  const tell = (from: number, n: number) =>
    worker.plane.events({ ...grant, from, rows: Array(n).fill(row) });
  expect(await tell(1, 2)).toMatchObject({ value: { next: 3 } });
  expect(await tell(1, 2)).toMatchObject({ value: { next: 3 } });
  expect(await tell(2, 3)).toMatchObject({ value: { next: 5 } });
  expect(await tell(6, 1)).toEqual({ ok: false, code: 'event.gap' });
});

test('what was settled is not there to be reserved again', async () => {
  const grant = await granted({ brakes: { ...plainDefinition.brakes, costUsd: 2, tokens: 100 } });
  const reserve = { ...grant, costUsd: 0, tokens: 1 };
  const before = await worker.plane.budgetReserve(reserve);
  expect(before).toMatchObject({ value: { left: { costUsd: 2, tokens: 100 } } });
  const usage = {
    ...{ costUsd: 0.5, source: 'metered' as const },
    ...{ tokensIn: 10, tokensOut: 5, cacheRead: 0, cacheWrite: 0 },
  };
  expect(await worker.plane.budgetSettle({ ...grant, usage })).toEqual({ ok: true });
  const after = await worker.plane.budgetReserve(reserve);
  expect(after).toMatchObject({ value: { left: { costUsd: 1.5, tokens: 85 } } });
  const tooMuch = await worker.plane.budgetReserve({ ...reserve, tokens: 86 });
  expect(tooMuch).toEqual({ ok: false, code: 'budget.spent' });
});
