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
import type { ExecutionId, GrantId, Instant, RunId } from '../domain/ids.ts';
import { driverPrincipal, type EngineCommand } from './command.ts';

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
  const refused = { count: 2, tool: 'Bash', call: 'git push', why: 'deny' } as const;
  await work(here, here.run.id, { ...executed, refused });
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
  const denied = '2 requests refused: Bash "git push" (onPermission deny)';
  expect(dispatch.history).toContain(`weeks.test fails; ${denied}`);
  expect(dispatch.prompt).toContain(`It had ${denied}.`);
  expect(dispatch.prompt).toContain('goal 1');
  expect(dispatch.prompt).toContain('weeks.test fails');
  expect(dispatch.prompt).toContain('look in weeks.ts');
});

test('a late seal is adopted while nobody has begun anew, once, and never after that (X7)', async () => {
  const here = await started();
  await work(here, here.run.id, prepared);
  const [lost, next] = [`${here.run.id}.2`, `${here.run.id}.3`] as [ExecutionId, ExecutionId];
  const claimed = await here.plane.claim({ execution: lost, holder, nonce: 'n' });
  if (!claimed.ok) throw new Error(claimed.reason);
  await here.engine.issue(lose(here.run.id, lost));
  const late = { execution: lost, grantId: claimed.grantId, seal: sealOf('late') };
  const missing = { ...executed, journal: sealOf('never put') };
  expect(await here.plane.result({ ...late, result: missing })).toMatchObject({ ok: false });
  const forged = { ...late, grantId: 'forged' as GrantId, result: executed };
  expect(await here.plane.result(forged)).toMatchObject({ ok: false });
  expect(await here.plane.result({ ...late, result: executed })).toEqual({ ok: true });
  expect(await here.plane.result({ ...late, result: executed }), 'again').toEqual({ ok: true });
  expect(await here.plane.claim({ execution: next, holder, nonce: 'm' })).toMatchObject({
    ok: false,
  });
  const seen = await here.client.find({ text: here.run.id, project: null });
  expect(seen).toMatchObject({ phase: 'verifying', head: executed.commit });
  const ends = (await eventsOf(here)).filter(({ event }) => event.type === 'execution.succeeded');
  expect(ends.at(-1)?.event).toMatchObject({ id: next, adopted: lost, seal: sealOf('late') });
});

test('a beat that crosses the acceptance of its own seal is no evidence; one with another grant is', async () => {
  const here = await started();
  const claimed = await here.claim('n');
  const grantId = claimed.ok ? claimed.grantId : ('' as GrantId);
  const { execution } = here;
  await here.plane.start({ execution, grantId, rung: 'x', pid: 7 });
  const seal = sealOf('prepared');
  expect(await here.plane.result({ execution, grantId, seal, result: prepared })).toEqual({
    ok: true,
  });
  const beat = { execution, beat: 9, signals: '{}', usage: null };
  const over = { ok: false, reason: 'execution.not_open' };
  expect(await here.plane.heartbeat({ ...beat, grantId })).toEqual(over);
  expect(await here.engine.store.evidence(execution)).toEqual([]);
  expect(await here.plane.heartbeat({ ...beat, grantId: 'forged' as GrantId })).toEqual(over);
  expect(await here.engine.store.evidence(execution)).toHaveLength(1);
});

test('evidence names what was refused as the contract of the plane names it (XP-14)', async () => {
  const { plane, engine, execution } = await started();
  const forged = { execution, grantId: 'forged' as GrantId };
  await plane.start({ ...forged, rung: 'x', pid: 7 });
  await plane.checkpoint({ ...forged, body: sealOf('body') });
  await plane.result({ ...forged, seal: sealOf('prepared'), result: prepared });
  await plane.cancelAck({ ...forged, proof: 'kernel' });
  const kept = (await engine.store.evidence(execution)).map(({ verb }) => verb);
  expect(kept).toEqual(['start', 'checkpoint', 'result', 'cancel-ack']);
});

test('a successor that was claimed keeps the attempt; a late seal is evidence alone (X7)', async () => {
  const here = await started();
  await work(here, here.run.id, prepared);
  const [lost, next] = [`${here.run.id}.2`, `${here.run.id}.3`] as [ExecutionId, ExecutionId];
  const claimed = await here.plane.claim({ execution: lost, holder, nonce: 'n' });
  if (!claimed.ok) throw new Error(claimed.reason);
  await here.engine.issue(lose(here.run.id, lost));
  expect(await here.plane.claim({ execution: next, holder, nonce: 'm' })).toMatchObject({
    ok: true,
  });
  const before = await eventsOf(here);
  const late = { execution: lost, grantId: claimed.grantId, seal: sealOf('late') };
  expect(await here.plane.result({ ...late, result: executed })).toMatchObject({ ok: false });
  expect(await eventsOf(here)).toEqual(before);
});

function lose(run: RunId, execution: ExecutionId): EngineCommand {
  const at = 2_000 as Instant;
  const { actor } = driverPrincipal;
  const lost = { class: 'transport_lost', proof: 'kernel', detail: 'silent' } as const;
  const command = { type: 'lose', ...lost, at } as const;
  return { kind: 'execution', run, execution, at, actor, principal: driverPrincipal, command };
}
