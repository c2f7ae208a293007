import { expect, test } from 'vitest';
import {
  bench,
  executed,
  holder,
  plainDefinition,
  prepared,
  sealOf,
  work,
} from '../../test/sim/bench-of-one.ts';
import { ada } from '../../test/sim/human.ts';
import type { ExecutionId } from '../domain/ids.ts';
import type { Lanes } from '../ports/lanes.ts';
import { notCarried } from '../ports/source.ts';
import { driverPrincipal, runCommand } from './command.ts';
import { dispatcher } from './dispatch.ts';
import { planeWorkers } from './plane-workers.ts';

type Here = ReturnType<typeof bench>;

async function started(here: Here, more: object) {
  const definition = { ...plainDefinition, ...more };
  const request = { definition, detached: true, resumedFrom: null, from: null };
  return (await here.client.start(request, ada)).id;
}

async function enrolled({ engine }: Here, labels: readonly string[]): Promise<string> {
  const workers = planeWorkers(engine);
  const id = `w-${(await workers.list()).length + 1}`;
  await workers.addCode({ digest: id, expiresAt: Number.MAX_SAFE_INTEGER as never });
  const told = { name: `box-${id}`, publicKey: 'k', labels, slots: 1 };
  await workers.enrol({ codeDigest: id, id, ...told });
  return id;
}

function pulling(here: Here, more: Partial<Lanes> = {}) {
  const done: string[] = [];
  const lanes = {
    ...more,
    start: async () => void done.push('lane'),
    sealLeft: async () => null,
    ensureCheckHost: async () => void done.push('checks'),
  } as unknown as Lanes;
  const { engine } = here;
  const dispatch = dispatcher({ engine, lanes, offerMs: 10_000, worker: 'here', log: () => {} });
  return { done, pull: dispatch.pull };
}

async function fireDue({ engine }: Here): Promise<void> {
  const now = engine.clock.now();
  for (const { run, kind, generation } of await engine.store.timersDue(now, 10)) {
    const fire = { type: 'fire_timer', kind, generation } as const;
    await engine.issue(runCommand(run, driverPrincipal, now, fire));
  }
}

const viewOf = (here: Here, id: string) => here.client.find({ text: id, project: null });

test('a job for which no worker is known waits, says for whom, and is done by nobody else', async () => {
  const here = bench();
  const { pull, done } = pulling(here);
  const run = await started(here, { labels: ['gpu'] });
  await pull();
  expect(done).toEqual([]);
  const { waiting } = await viewOf(here, run);
  expect(waiting).toMatchObject({
    ...{ reason: 'no_capacity', isForWorker: true },
    detail: 'a worker with label gpu (none is enrolled)',
  });
});

test('as soon as such a worker is there the run goes on, and its job is left to it', async () => {
  const here = bench();
  const { pull, done } = pulling(here);
  const run = await started(here, { labels: ['gpu'] });
  await pull();
  await enrolled(here, ['gpu']);
  here.pass(6_000);
  await pull();
  expect(await viewOf(here, run)).toMatchObject({ status: 'active', waiting: null });
  expect(done).toEqual([]);
});

test('a worker that has long been busy is there; one that is gone is not waited for again (RR-46)', async () => {
  const here = bench();
  const { pull } = pulling(here);
  const run = await started(here, { labels: ['gpu'] });
  const worker = await enrolled(here, ['gpu']);
  const execution = (await viewOf(here, run)).execution?.id as ExecutionId;
  const held = { execution, holder: { ...holder, worker }, nonce: 'n', labels: ['gpu'] };
  const claimed = await here.plane.claim(held);
  if (!claimed.ok) throw new Error(claimed.reason);
  await here.plane.start({ execution, grantId: claimed.grantId, rung: 'x', pid: 7 });
  here.pass(200_000);
  const next = await started(here, { labels: ['gpu'] });
  const waitsFor = async () => (await viewOf(here, next)).waiting?.detail;
  await pull();
  expect(await waitsFor()).toBe('a worker with label gpu (box-w-1 has 1 of 1 slots busy)');
  const failed = { kind: 'failed', class: 'lane_died', proof: 'kernel' } as const;
  const result = { ...failed, detail: '', commit: null, usage: null, text: null };
  await here.plane.result({ execution, grantId: claimed.grantId, seal: sealOf('s'), result });
  here.pass(11_000);
  await pull();
  expect(await waitsFor()).toBe('a worker with label gpu (box-w-1 has 1 of 1 slots busy)');
  const third = await started(here, { labels: ['gpu'] });
  await pull();
  const { waiting } = await viewOf(here, third);
  expect(waiting?.detail).toBe('a worker with label gpu (box-w-1 is not there)');
});

test('when none comes in time the run is parked, with what can be done about it (RR-32)', async () => {
  const here = bench();
  const { pull } = pulling(here);
  const brakes = { ...plainDefinition.brakes, waitTimeMs: 60_000 };
  const run = await started(here, { labels: ['gpu'], brakes });
  await pull();
  here.pass(61_000);
  await fireDue(here);
  await pull();
  const view = await viewOf(here, run);
  expect(view).toMatchObject({ status: 'needs_operator', reason: 'wait_exhausted' });
  expect(view.detail).toContain('a worker with label gpu');
  expect(view.options.map(({ command }) => command)).toContain('pawl worker enroll');
});

test('work made here is not verified here when another worker is asked for (XP-37)', async () => {
  const here = bench();
  const { pull, done } = pulling(here);
  const run = await started(here, { verifyOn: 'other-worker' });
  await work(here, run, prepared);
  await work(here, run, executed);
  await pull();
  expect(done).toEqual([]);
  const { waiting } = await viewOf(here, run);
  expect(waiting?.detail).toMatch(
    /^another worker than .*, which made the work \(none is enrolled\)/,
  );
});

test('a run is sent to a worker that is known, and to no other (RR-32)', async () => {
  const here = bench();
  const run = await started(here, {});
  const id = await enrolled(here, []);
  await here.client.pause(run, true, ada);
  const request = {
    ...{ grants: {}, hint: null, verifyNow: null, restore: false, allow: [], happened: null },
    ...{ fresh: false, now: false, fromAttempt: null },
  };
  const unknown = here.client.resume(run, { ...request, on: 'nowhere' }, ada);
  await expect(unknown).rejects.toMatchObject({
    message: 'no worker is known as "nowhere"',
    details: { where: '--on', allowed: `${id} (box-${id})` },
  });
  expect((await viewOf(here, run)).status).toBe('paused');
  await here.client.resume(run, { ...request, on: `box-${id}` }, ada);
  const [open] = await here.engine.store.openExecutions();
  expect(open?.job.placement).toEqual({ on: id });
});

/** A run whose lane needs an agent, at its turn. */
async function atWork(here: Here, agent: string) {
  const { roles } = plainDefinition;
  const execute = { ...roles.execute, agent, command: null };
  const run = await started(here, { roles: { ...roles, execute } });
  await work(here, run as never, prepared);
  return run;
}

test('a lane whose agent is on a worker alone is left to it, and waits while that is busy', async () => {
  const here = bench();
  const { pull, done } = pulling(here, { has: async (one) => one !== 'agent:codex' });
  const worker = await enrolled(here, []);
  const told = { labels: [], slots: 1 };
  await planeWorkers(here.engine).seen(worker, { ...told, capabilities: ['git', 'agent:codex'] });
  const run = await atWork(here, 'codex');
  await pull();
  expect(done).toEqual([]);
  here.pass(11_000);
  await pull();
  expect((await viewOf(here, run)).waiting).toMatchObject({
    ...{ reason: 'no_capacity', isForWorker: true },
    detail: 'a worker that has codex (box-w-1 does not take it)',
  });
  here.pass(6_000);
  await pull();
  expect(await viewOf(here, run)).toMatchObject({ status: 'active', waiting: null });
  expect(done).toEqual([]);
});

test('an agent that is here, or nowhere, is begun here', async () => {
  for (const agent of ['claude', 'codex']) {
    const here = bench();
    const { pull, done } = pulling(here, { has: async (one) => one !== 'agent:codex' });
    await enrolled(here, []);
    await atWork(here, agent);
    await pull();
    expect(done).toEqual(['lane']);
  }
});

test.each([
  [{ elsewhere: true } as const, 'needs_operator'],
  [{}, 'active'],
])('what no worker can be given: with %o its run is then %s', async (lanes, status) => {
  const here = bench();
  const { pull, done } = pulling(here, lanes);
  const run = await started(here, {});
  const failed = { kind: 'failed', class: 'source_unavailable', proof: 'kernel' } as const;
  const more = { detail: notCarried, commit: null, usage: null, text: null };
  await work(here, run as never, { ...failed, ...more });
  await pull();
  expect(await viewOf(here, run)).toMatchObject({ status });
  expect(done).toEqual(status === 'active' ? ['checks'] : []);
});
