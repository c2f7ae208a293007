/** What a worker may ask beside its work: secrets, the rest of a budget, rows of its journal. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { plainDefinition } from '../sim/bench-of-one.ts';
import {
  claimed,
  executionOf,
  type PlaneServer,
  planeServer,
  type RemoteWorker,
  secretValue,
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

test('a secret that cannot be had is refused alike, and the reason stays with the server (XP-29)', async () => {
  const grant = await granted({ secrets: { GOOD: 'env:THERE', GONE: unsetReference } });
  expect(await worker.plane.credential({ ...grant, name: 'GOOD' })).toBe(secretValue);
  for (const name of ['GONE', 'OTHER', 'toString']) {
    const asking = worker.plane.credential({ ...grant, name });
    await expect(asking).rejects.toMatchObject({ details: { found: 'credential.refused' } });
  }
  expect(server.logged).toEqual([`${grant.execution} secret GONE: NOWHERE is not set`]);
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
