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
import type { JobResult } from '../domain/execution/state.ts';
import type { ExecutionId, GrantId } from '../domain/ids.ts';

const verified: JobResult = {
  kind: 'verified',
  verdict: sealOf('verdict'),
  facts: {
    outcome: 'passed',
    summary: 'all pass',
    receipt: null,
    commit: executed.commit,
    score: 1,
    failedTests: 0,
    passedTests: 3,
    flaky: false,
  },
};

async function started() {
  const here = bench();
  const run = await here.client.start(
    { definition: plainDefinition, detached: true, resumedFrom: null, from: null },
    ada,
  );
  const execution = `${run.id}.1` as ExecutionId;
  const claim = (nonce: string) => here.plane.claim({ execution, holder, nonce });
  return { ...here, run, execution, claim };
}

const eventsOf = ({ client, run }: Awaited<ReturnType<typeof started>>) =>
  client.events(run.id, 0, 1_000);

test('a lease is durable before anything runs, and the same nonce gets the same one (XP-8, XP-9)', async () => {
  const here = await started();
  const first = await here.claim('n');
  expect(first).toMatchObject({ ok: true, fence: 1 });
  expect(await here.claim('n')).toEqual(first);
  expect(await here.claim('other')).toEqual({ ok: false, reason: 'execution.taken' });
  expect((await here.engine.store.execution(here.execution))?.lease).toMatchObject({ holder });
});

test('a heartbeat extends the lease of the same execution and grant only (XP-10)', async () => {
  const here = await started();
  const claimed = await here.claim('n');
  const grantId = claimed.ok ? claimed.grantId : ('' as GrantId);
  const beat = { execution: here.execution, beat: 1, signals: '{}', usage: null };
  expect(await here.plane.heartbeat({ ...beat, grantId })).toMatchObject({ ok: true });
  expect(await here.plane.heartbeat({ ...beat, grantId: 'forged' as GrantId })).toEqual({
    ok: false,
    reason: 'grant.stale',
  });
});

test('only the exact result accepted before is acknowledged again, however late (XP-14, XP-15)', async () => {
  const here = await started();
  const granted = await work(here, here.run.id, prepared);
  const seal = sealOf(granted.execution);
  const failed = { ...verified, facts: { ...verified.facts, outcome: 'failed' } } as const;
  for (const result of [executed, failed, executed, failed, executed]) {
    await work(here, here.run.id, result);
  }
  const before = await eventsOf(here);
  expect(await here.plane.result({ ...granted, seal, result: prepared })).toEqual({ ok: true });
  const other = await here.plane.result({ ...granted, seal: sealOf('other'), result: prepared });
  expect(other.ok).toBe(false);
  const forged = { ...granted, grantId: 'forged' as GrantId };
  expect((await here.plane.result({ ...forged, seal, result: prepared })).ok).toBe(false);
  expect(await eventsOf(here)).toEqual(before);
});

test('a maker cannot hand in a verdict about its own work (R1, XP-25, XP-33)', async () => {
  const here = await started();
  await work(here, here.run.id, prepared);
  const execution = `${here.run.id}.2` as ExecutionId;
  const claimed = await here.plane.claim({ execution, holder, nonce: 'n' });
  if (!claimed.ok) throw new Error(claimed.reason);
  const granted = { execution, grantId: claimed.grantId };
  await here.plane.start({ ...granted, rung: 'x', pid: 7 });
  expect(await here.plane.result({ ...granted, seal: sealOf('lie'), result: verified })).toEqual({
    ok: false,
    reason: 'result.wrong_kind',
  });
  expect((await here.client.find({ text: here.run.id, project: null })).status).toBe('active');
});

test('a result completes nothing; an independent pass does (XP-25, XP-33, EV-1, EV-42)', async () => {
  const here = await started();
  await work(here, here.run.id, prepared);
  await work(here, here.run.id, executed);
  const between = await here.client.find({ text: here.run.id, project: null });
  expect(between).toMatchObject({ status: 'active', phase: 'verifying' });
  await work(here, here.run.id, verified);
  const done = await here.client.find({ text: here.run.id, project: null });
  expect(done).toMatchObject({ status: 'complete', verification: 'passed' });
});

test('a dispatch carries definition, attempt, history and what the last check said (XP-6, EV-43)', async () => {
  const here = await started();
  await work(here, here.run.id, prepared);
  await work(here, here.run.id, executed);
  const failed = { ...verified.facts, outcome: 'failed', summary: 'weeks.test fails' } as const;
  await here.client.hint(here.run.id, 'look in weeks.ts', ada);
  await work(here, here.run.id, { ...verified, facts: failed });
  const execution = `${here.run.id}.4` as ExecutionId;
  const claimed = await here.plane.claim({ execution, holder, nonce: 'n' });
  if (!claimed.ok) throw new Error(claimed.reason);
  const { dispatch } = claimed;
  expect(dispatch.job).toMatchObject({ role: 'execute', attempt: 2 });
  expect(dispatch.definition).toEqual(plainDefinition);
  expect(dispatch.history).toContain('[Attempt 1] FAIL: weeks.test fails');
  expect(dispatch.prompt).toContain('goal 1');
  expect(dispatch.prompt).toContain('weeks.test fails');
  expect(dispatch.prompt).toContain('look in weeks.ts');
});
