/**
 * Goal: a question for which no lane waits any more stands before no human: closed by the sweep, at
 * no cost, once, and shown as void (RR-26).
 * Method: one engine over a store in memory; beats say what a host would say.
 */
import { expect, test } from 'vitest';
import { bench, holder, plainDefinition, prepared, work } from '../../../test/sim/bench-of-one.ts';
import { ada } from '../../../test/sim/human.ts';
import { lanesThatSee } from '../../../test/sim/lanes-that-see.ts';
import type { ExecutionId } from '../../domain/ids.ts';
import { sweeper } from '../sweep.ts';

const asking = { ...plainDefinition, onPermission: 'ask' } as const;
const askFor = (request: string) => ({
  ...{ request, tool: 'shell', title: 'git push', args: 'a', definition: 'd' },
});

async function lane() {
  const here = bench();
  const start = { definition: asking, detached: true, resumedFrom: null, from: null };
  const { id: run } = await here.client.start(start, ada);
  await work(here, run, prepared);
  const view = () => here.client.find({ text: run, project: null });
  const execution = (await view()).execution?.id as ExecutionId;
  const claim = await here.plane.claim({ execution, holder, nonce: 'n' });
  if (!claim.ok) throw new Error(claim.reason);
  const grant = { execution, grantId: claim.grantId };
  await here.plane.start({ ...grant, rung: 'x', pid: 7 });
  let beat = 0;
  const beats = (signals: object) => {
    beat += 1;
    const told = { beat, signals: JSON.stringify(signals), usage: null };
    return here.plane.heartbeat({ ...grant, ...told });
  };
  const asks = (request: string) => here.plane.ask({ ...grant, ask: askFor(request) });
  const { lanes, ended } = lanesThatSee({ state: 'alive' });
  const options = { engine: here.engine, plane: here.plane, lanes, ttlMs: 30_000, log: () => {} };
  const [{ sweep }, other] = [sweeper(options), sweeper(options)];
  const outcomes = async () =>
    (await here.client.events(run, 0, 1_000)).flatMap(({ event }) =>
      event.type === 'gate.resolved' ? [event.outcome] : [],
    );
  return { here, execution, view, beats, asks, sweep, other, ended, outcomes };
}

test('the sweep closes what the lane took back; the lane goes on, and may ask again (RR-26, RR-28)', async () => {
  const { here, execution, view, beats, asks, sweep, other, ended, outcomes } = await lane();
  expect(await asks('p1')).toEqual({ ok: true });
  await beats({ state: 'quiet', reason: 'awaiting_input' });
  expect(await sweep()).toBe(0);
  const before = await view();
  expect(before).toMatchObject({ status: 'waiting_human', gate: { kind: 'permission' } });
  await beats({ state: 'working_protocol', withdrawn: 'p1' });
  expect([await sweep(), await other.sweep(), await sweep()]).toEqual([1, 0, 0]);
  const after = await view();
  expect(after).toMatchObject({ status: 'active', gate: null, execution: { id: execution } });
  const { timers: _, ...counted } = after.counters;
  expect(before.counters).toMatchObject(counted);
  expect(await outcomes()).toEqual(['voided']);
  expect(await here.engine.store.openApprovals()).toEqual([]);
  expect(await beats({ state: 'quiet', withdrawn: 'p1' })).toMatchObject({
    answer: { request: 'p1', decision: 'deny' },
  });
  expect(await asks('p2')).toEqual({ ok: true });
  await beats({ state: 'quiet', withdrawn: 'p1' });
  expect(await sweep()).toBe(0);
  expect((await view()).status).toBe('waiting_human');
  expect(ended).toEqual([]);
});

test('signals that say nothing of the kind close nothing (RR-26)', async () => {
  const { view, beats, asks, sweep, outcomes } = await lane();
  await asks('p1');
  for (const withdrawn of [7, '', null, 'p2', {}]) {
    await beats({ state: 'quiet', withdrawn });
    expect(await sweep()).toBe(0);
  }
  expect((await view()).status).toBe('waiting_human');
  expect(await outcomes()).toEqual([]);
});
