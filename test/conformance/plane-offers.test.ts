/** What a worker is offered is work that a host of the server's machine could start as well. */
import { afterEach, expect, test } from 'vitest';
import type { Instant, RunId } from '../../src/domain/ids.ts';
import type { BudgetSource } from '../../src/ports/budgets.ts';
import { executed, prepared, sealOf } from '../sim/bench-of-one.ts';
import {
  claimed,
  executionOf,
  holderOf,
  offered,
  type PlaneServer,
  planeServer,
  type RemoteWorker,
  startedRun,
} from '../support/plane-server.ts';

let server: PlaneServer;
afterEach(() => server.close());

const start = { rung: 'cgroup', pid: 7 };

/** A run of which the first turn of a lane waits. */
async function toExecute(worker: RemoteWorker, more: object = {}): Promise<RunId> {
  const run = await startedRun(server, more);
  const { granted } = await claimed(worker.plane, worker.id, executionOf(run));
  await worker.plane.start({ ...granted, ...start });
  await worker.plane.result({ ...granted, seal: sealOf('a'), result: prepared });
  return run;
}

const group = (max: number) => ({ concurrency: { group: 'web', max } });

test('no more lanes are offered than their group allows, and whoever began first is first', async () => {
  server = await planeServer();
  const [one, two] = [await server.worker(), await server.worker()];
  const runs = [await toExecute(one, group(1)), await toExecute(one, group(1))];
  const [first = '', second = ''] = runs.map((run) => executionOf(run, 2));
  const offers = await Promise.all([offered(one), offered(two)]);
  expect(offers.flat().filter((execution) => execution !== first)).toEqual([]);
  const { granted } = await claimed(one.plane, one.id, executionOf(runs[0] as RunId, 2));
  expect(await offered(two)).toEqual([]);
  await one.plane.start({ ...granted, ...start });
  await one.plane.result({ ...granted, seal: sealOf('b'), result: executed });
  const next = await offered(two);
  expect(next).toContain(second);
});

test('no lane is offered when a budget over runs is spent; checks are (EV-36)', async () => {
  const day = { costUsd: null, tokens: 1, timeMs: null };
  const budgets: BudgetSource = {
    read: async () => ({ day, project: null }),
    dayOf: () => ({ from: 0 as Instant, until: Number.MAX_SAFE_INTEGER as Instant }),
  };
  server = await planeServer({ budgets });
  const worker = await server.worker();
  const run = await toExecute(worker);
  const execution = executionOf(run, 2);
  expect(await offered(worker)).toEqual([execution]);
  const { granted } = await claimed(worker.plane, worker.id, execution);
  await worker.plane.start({ ...granted, ...start });
  await worker.plane.result({ ...granted, seal: sealOf('b'), result: executed });
  const other = await toExecute(worker);
  const offers = await offered(worker);
  expect(offers).toEqual([executionOf(run, 3)]);
  expect(offers).not.toContain(executionOf(other, 2));
});

test('what a worker was enrolled with is the most that it is offered, whatever it says (XP-44)', async () => {
  server = await planeServer();
  const worker = await server.worker({ slots: 1 });
  const runs = [await startedRun(server), await startedRun(server)];
  expect(await offered(worker)).toEqual([executionOf(runs[0] as RunId)]);
  await claimed(worker.plane, worker.id, executionOf(runs[0] as RunId));
  expect(await offered(worker)).toEqual([]);
  expect(await offered(await server.worker())).toEqual([executionOf(runs[1] as RunId)]);
});

test('a worker that claims more than its slots is refused; the same claim again is not', async () => {
  server = await planeServer();
  const worker = await server.worker({ slots: 1 });
  const runs = [await startedRun(server), await startedRun(server)];
  const claims = runs.map((run) => {
    const execution = executionOf(run);
    return worker.plane.claim({ execution, holder: holderOf(worker.id), nonce: execution });
  });
  const answers = await Promise.all(claims);
  expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
  expect(answers.find(({ ok }) => !ok)).toEqual({ ok: false, reason: 'slots.full' });
  const held = runs[answers.findIndex(({ ok }) => ok)] as RunId;
  await expect(claimed(worker.plane, worker.id, executionOf(held))).resolves.toMatchObject({
    ok: true,
  });
});

test('what one worker holds is not had by another with its nonce (XP-12)', async () => {
  server = await planeServer();
  const [one, two] = [await server.worker(), await server.worker()];
  const execution = executionOf(await startedRun(server));
  await claimed(one.plane, one.id, execution);
  const answer = await two.plane.claim({ execution, holder: holderOf(two.id), nonce: execution });
  expect(answer).toEqual({ ok: false, reason: 'execution.taken' });
});

const verifyElsewhere = { verifyOn: 'other-worker' } as const;

/** Its work is made by `worker`, and waits to be verified. */
async function toVerify(worker: RemoteWorker, more: object): Promise<RunId> {
  const run = await toExecute(worker, more);
  const { granted } = await claimed(worker.plane, worker.id, executionOf(run, 2));
  await worker.plane.start({ ...granted, ...start });
  await worker.plane.result({ ...granted, seal: sealOf('b'), result: executed });
  return run;
}

test('who made the work is neither offered its verification nor granted it (XP-37, EV-32)', async () => {
  server = await planeServer();
  const [maker, other] = [await server.worker(), await server.worker()];
  const execution = executionOf(await toVerify(maker, verifyElsewhere), 3);
  expect(await offered(maker)).toEqual([]);
  const claim = { execution, holder: holderOf(maker.id), nonce: 'n' };
  expect(await maker.plane.claim(claim)).toEqual({ ok: false, reason: 'worker.unfit' });
  // Another boot of the same machine is the same worker.
  const reborn = { ...claim, holder: { ...claim.holder, pid: 8, started: 2 } };
  expect(await maker.plane.claim(reborn)).toEqual({ ok: false, reason: 'worker.unfit' });
  expect(await offered(other)).toEqual([execution]);
  const { dispatch } = await claimed(other.plane, other.id, execution);
  expect(dispatch.job.placement).toEqual({ not: maker.id });
});

test('the role credential of a verification is never that of the work (XP-37, ruling 4)', async () => {
  server = await planeServer();
  const worker = await server.worker();
  const run = await toVerify(worker, {});
  const { dispatch, granted } = await claimed(worker.plane, worker.id, executionOf(run, 3));
  expect(dispatch.job.role).toBe('verify');
  const late = { ...granted, seal: sealOf('c'), result: executed };
  expect(await worker.plane.result(late)).toEqual({ ok: false, reason: 'result.wrong_kind' });
});

test('a job goes to a worker that has its labels, and is granted to no other', async () => {
  server = await planeServer();
  const [plain, able] = [await server.worker(), await server.worker({ labels: ['gpu', 'fast'] })];
  const execution = executionOf(await startedRun(server, { labels: ['gpu'] }));
  expect(await offered(plain)).toEqual([]);
  const claim = { execution, holder: holderOf(plain.id), nonce: 'n' };
  expect(await plain.plane.claim(claim)).toEqual({ ok: false, reason: 'worker.unfit' });
  const here = { ...claim, holder: holderOf('here') };
  expect(await server.local.claim(here)).toEqual({ ok: false, reason: 'worker.unfit' });
  expect(await offered(able, ['gpu', 'fast'])).toEqual([execution]);
  await expect(claimed(able.plane, able.id, execution)).resolves.toMatchObject({ ok: true });
});
