/**
 * Goal: a cancel is a durable decision that always ends, whatever becomes of whoever works: it is
 * told with the next beat, acknowledged or timed out, and erases nothing (XP-19, XP-20, XP-21).
 * Method: a run in every phase, claimed or not, against everything that can follow a cancel; the
 * driver that goes on is always a new one, as after a crash in the middle.
 */
import { describe, expect, test } from 'vitest';
import type { ExecutionId, GrantId, RunId } from '../../src/domain/ids.ts';
import { stopMs } from '../../src/domain/run/timing.ts';
import { sweeper } from '../../src/engine/sweep.ts';
import { timerPuller } from '../../src/engine/timers.ts';
import { beatWatch, lookAt } from '../../src/host/adoption.ts';
import type { LaneSighting } from '../../src/ports/lanes.ts';
import {
  type Bench,
  bench,
  executed,
  plainDefinition,
  prepared,
  sealOf,
  work,
} from './bench-of-one.ts';
import { ada } from './human.ts';
import { lanesThatSee } from './lanes-that-see.ts';

const start = { definition: plainDefinition, detached: true, resumedFrom: null, from: null };
const view = (here: Bench, run: RunId) => here.client.find({ text: run, project: null });
const limited = { ...executed, outcome: 'limit' } as const;
const asks = { ...executed, outcome: 'question' } as const;

const phases = {
  preparing: [],
  executing: [prepared],
  verifying: [prepared, executed],
} as const;

async function begun(here: Bench, done: readonly (typeof prepared | typeof executed)[]) {
  const { id: run } = await here.client.start(start, ada);
  for (const result of done) await work(here, run, result);
  return run;
}

interface Held {
  readonly here: Bench;
  readonly run: RunId;
  readonly granted: { readonly execution: ExecutionId; readonly grantId: GrantId };
}

async function held(phase: keyof typeof phases): Promise<Held> {
  const here = bench();
  const run = await begun(here, phases[phase]);
  const execution = (await view(here, run)).execution?.id as ExecutionId;
  const holder = { worker: 'w', bootId: 'b', pid: 3, started: 1 };
  const claim = await here.plane.claim({ execution, holder, nonce: 'n' });
  if (!claim.ok) throw new Error(claim.reason);
  const granted = { execution, grantId: claim.grantId };
  await here.plane.start({ ...granted, rung: 'x', pid: 7 });
  return { here, run, granted };
}

/** A driver that has just begun, on another machine than the holder. */
async function rounds({ here }: Held, seen: LaneSighting | null, ms: number): Promise<void> {
  const { engine, plane } = here;
  const stillForMs = beatWatch(() => engine.clock.monotonicMs());
  const { lanes } = lanesThatSee(seen ?? { state: 'alive' });
  const far = {
    ...lanes,
    look: async (open: Parameters<typeof lookAt>[0]) =>
      lookAt(open, { spool: '/nowhere', worker: 'here', lives: () => false, stillForMs }),
  };
  const options = { engine, plane, lanes: seen === null ? far : lanes, ttlMs: 30_000 };
  const sweeps = sweeper({ ...options, log: () => {} });
  const timers = timerPuller(engine, { log: () => {} });
  for (let passed = 0; passed <= ms; passed += 15_000) {
    await timers.pull();
    await sweeps.sweep();
    here.pass(15_000);
  }
}

const dead: LaneSighting = { state: 'dead', class: 'lane_died', detail: 'gone', sessionId: null };
const beat = ({ here, granted }: Held) =>
  here.plane.heartbeat({ ...granted, beat: 1, signals: '{}', usage: null });

/** What follows, and whether the end of the execution is proven by it. */
const endings: Readonly<Record<string, readonly [(of: Held) => Promise<unknown>, boolean]>> = {
  'acknowledged with proof': [
    ({ here, granted }) => here.plane.cancelAck({ ...granted, proof: 'kernel' }),
    true,
  ],
  'acknowledged without': [
    ({ here, granted }) => here.plane.cancelAck({ ...granted, proof: 'unproven' }),
    false,
  ],
  'its host died': [(of) => rounds(of, dead, 0), true],
  'its worker vanished': [(of) => rounds(of, null, 60_000), false],
  'its host lives and never answers': [(of) => rounds(of, { state: 'alive' }, stopMs), false],
};
const phaseNames = Object.keys(phases) as readonly (keyof typeof phases)[];
const cases = phaseNames.flatMap((phase) =>
  Object.keys(endings).map((ending) => [phase, ending] as const),
);

describe('of a job that somebody holds', () => {
  test.each(cases)('while %s; %s', async (phase, ending) => {
    const of = await held(phase);
    const { here, run, granted } = of;
    const before = (await here.engine.store.events(run, 0, 1_000)).length;
    await here.client.cancel(run, 'enough', ada);
    await here.client.cancel(run, 'again', ada);
    expect((await view(here, run)).status).toBe('cancelling');
    expect(await beat(of), 'told with a beat').toMatchObject({ ok: true, cancel: true });
    const [follow, isProven] = endings[ending] ?? [];
    await follow?.(of);
    const now = await view(here, run);
    expect(now).toMatchObject({ status: 'cancelled' });
    expect(now.unproven).toEqual(isProven === true ? [] : [granted.execution]);
    const events = await here.engine.store.events(run, 0, 1_000);
    const told = events.map(({ event }) => event.type);
    expect(told.slice(before)).toContain('cancel.requested');
    expect(told.length, 'nothing is erased').toBeGreaterThan(before);
    expect(await here.engine.store.nextTimer()).toBeNull();
    expect(await beat(of)).toMatchObject({ ok: false });
    const late = { ...granted, seal: sealOf('late'), result: executed };
    expect(await here.plane.result(late)).toMatchObject({ ok: false });
    expect(await view(here, run)).toMatchObject({ status: 'cancelled' });
    const row = await here.engine.store.execution(granted.execution);
    const isUnknown = isProven !== true && phase === 'executing';
    expect(row?.status === 'UNKNOWN').toBe(isUnknown);
  });

  test('that sealed before it heard of it: its work is recorded, and the run is cancelled all the same', async () => {
    const { here, run, granted } = await held('executing');
    await here.client.cancel(run, '', ada);
    const sealed = { ...granted, seal: sealOf('work'), result: executed };
    expect(await here.plane.result(sealed)).toEqual({ ok: true });
    expect(await view(here, run)).toMatchObject({ status: 'cancelled', unproven: [] });
    const types = (await here.engine.store.events(run, 0, 1_000)).map(({ event }) => event.type);
    expect(types).toContain('turn.ended');
  });
});

test.each([
  ['preparing, unclaimed', [], null],
  ['executing, unclaimed', [prepared], null],
  ['verifying, unclaimed', [prepared, executed], null],
  ['waiting for a limit', [prepared, limited], 'waiting'],
  ['parked', [prepared, asks], null],
] as const)('of a run that nobody holds ends at once: %s (DESIGN §4.1)', async (_, done, phase) => {
  const here = bench();
  const run = await begun(here, done);
  if (phase !== null) expect((await view(here, run)).phase).toBe(phase);
  await here.client.cancel(run, '', ada);
  expect(await view(here, run)).toMatchObject({ status: 'cancelled', unproven: [] });
  expect(await here.engine.store.openExecutions()).toEqual([]);
  expect(await here.engine.store.nextTimer()).toBeNull();
});

test('while its lane waits for leave: the question is voided, the lane is told, and it ends', async () => {
  const of = await held('executing');
  const { here, run, granted } = of;
  const ask = { request: 'p1', tool: 'shell', title: 'git push', args: 'a', definition: 'd' };
  expect(await here.plane.ask({ ...granted, ask })).toEqual({ ok: true });
  await here.client.cancel(run, '', ada);
  expect(await here.engine.store.openApprovals()).toEqual([]);
  expect(await beat(of)).toMatchObject({ ok: true, cancel: true });
  await rounds(of, null, 60_000);
  expect(await view(here, run)).toMatchObject({
    status: 'cancelled',
    unproven: [granted.execution],
  });
});
