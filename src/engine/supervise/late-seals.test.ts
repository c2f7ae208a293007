/**
 * Goal: what a host sealed before it died is not done again, though its execution was lost
 * meanwhile; and nothing else is taken for that (DESIGN §4.2, X7).
 * Method: one engine over a store in memory; the first lane is lost as by another driver, the seal
 * that it left is there. Then arbitrary orders of pulls, claims and losses.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  bench,
  executed,
  holder,
  plainDefinition,
  prepared,
  sealOf,
  work,
} from '../../../test/sim/bench-of-one.ts';
import { ada } from '../../../test/sim/human.ts';
import { lanesThatSee } from '../../../test/sim/lanes-that-see.ts';
import type { JobResult } from '../../domain/execution/state.ts';
import type { ExecutionId, GrantId } from '../../domain/ids.ts';
import type { SealLeft } from '../../ports/lanes.ts';
import { driverPrincipal, executionCommand } from '../command.ts';
import { dispatcher } from '../dispatch.ts';
import { lateSeals } from './late-seals.ts';

const asked: JobResult = { ...executed, outcome: 'question' };
const start = { definition: plainDefinition, detached: true, resumedFrom: null, from: null };

async function machine(result: JobResult = executed) {
  const here = bench();
  const { id: run } = await here.client.start(start, ada);
  await work(here, run, prepared);
  const seals = new Map<ExecutionId, SealLeft>();
  const started: string[] = [];
  const lanes = {
    ...lanesThatSee({ state: 'alive' }).lanes,
    sealLeft: async (id: ExecutionId) => seals.get(id) ?? null,
    start: async ({ id }: { readonly id: ExecutionId }) => void started.push(id),
  };
  const { engine, plane } = here;
  const late = lateSeals({ executions: engine.store, plane, lanes, log: () => {} });
  const { pull } = dispatcher({ engine, lanes, late, offerMs: 10_000, log: () => {} });
  const view = () => here.client.find({ text: run, project: null });
  const open = async () => (await view()).execution?.id;
  const claim = async () => {
    const execution = await open();
    if (execution === undefined) return;
    const nonce = `nonce ${execution}`;
    const claimed = await plane.claim({ execution, holder, nonce });
    if (claimed.ok) await plane.start({ execution, grantId: claimed.grantId, rung: 'x', pid: 7 });
  };
  /** Its host seals and dies; a driver elsewhere sees no beat, and decides without the seal. */
  const sealAndLose = async () => {
    const row = (await here.client.find({ text: run, project: null })).execution;
    if (row?.grant == null) return;
    const { id, grant } = row;
    seals.set(id, { grantId: grant.id as GrantId, seal: sealOf(id), result });
    const lose = { type: 'lose', class: 'transport_lost', proof: 'unproven', detail: 'x' } as const;
    const at = engine.clock.now();
    await engine.issue(executionCommand(run, id, driverPrincipal, { ...lose, at }));
  };
  /** It is handed in, and stays in its spool. */
  const sealed = async () => {
    const row = (await view()).execution;
    if (row?.grant == null) throw new Error('nobody holds it');
    const { id, grant } = row;
    const left = { grantId: grant.id as GrantId, seal: sealOf(id), result };
    seals.set(id, left);
    expect(await plane.result({ execution: id, ...left })).toMatchObject({ ok: true });
  };
  const events = async () => (await here.client.events(run, 0, 1_000)).map(({ event }) => event);
  return { here, run, pull, view, open, claim, sealAndLose, sealed, events, started, late };
}

test('its result ends the one that replaces it: no host is started, nothing is spent (RR-5, RR-29)', async () => {
  const { pull, view, open, claim, sealAndLose, events, started } = await machine();
  await claim();
  const lost = await open();
  await sealAndLose();
  const next = await open();
  expect(next).not.toBe(lost);
  expect(await pull()).toBe(0);
  expect(started).toEqual([]);
  expect(await view()).toMatchObject({ phase: 'verifying', attempt: { n: 1 }, attempts: [] });
  expect((await events()).filter(({ type }) => type === 'execution.succeeded')).toMatchObject([
    { result: { kind: 'prepared' } },
    { id: next, adopted: lost, seal: sealOf(lost as ExecutionId) },
  ]);
});

test('who has begun the work again goes on with it, and the seal changes nothing', async () => {
  const { here, pull, open, claim, sealAndLose, events, late, run } = await machine();
  await claim();
  const lost = await open();
  await sealAndLose();
  await claim();
  const next = await open();
  await pull();
  const row = await here.engine.store.execution(next as ExecutionId);
  if (row === null) throw new Error('nothing is open');
  expect(await late.finish(row)).toBe(false);
  expect(await late.finish(row)).toBe(false);
  expect(await open()).toBe(next);
  expect((await events()).some((event) => 'adopted' in event)).toBe(false);
  expect(await here.engine.store.evidence(lost as ExecutionId)).toHaveLength(1);
  expect(await late.finish({ run, id: next as ExecutionId, n: 3, role: 'judge' })).toBe(false);
});

test('what is no turn of a lane is not taken, and a seal that cannot be read costs nothing', async () => {
  const failed: JobResult = {
    ...{ kind: 'failed', class: 'lane_died', detail: 'exit 9', proof: 'kernel' },
    ...{ commit: null, usage: null, text: null },
  };
  const { pull, claim, sealAndLose, open, started } = await machine(failed);
  await claim();
  await sealAndLose();
  expect(await pull()).toBe(1);
  expect(started).toEqual([await open()]);
  const unreadable = { sealLeft: () => Promise.reject(new Error('EIO')) };
  const { here, run, sealAndLose: loseAnother, claim: claimAnother } = await machine();
  await claimAnother();
  await loseAnother();
  const log: string[] = [];
  const late = lateSeals({
    ...{ executions: here.engine.store, plane: here.plane, lanes: unreadable },
    log: (line) => log.push(line),
  });
  const row = { run, id: `${run}.3` as ExecutionId, n: 3, role: 'execute' } as const;
  expect(await late.finish(row)).toBe(false);
  expect(log).toEqual([`${run}.2 seal: EIO`]);
});

test('one that ended by its own seal is gone on with: an answered question has its next turn', async () => {
  const { here, run, pull, open, claim, sealed, started } = await machine(asked);
  await claim();
  await sealed();
  await here.client.answer(run, 'the newer one', ada);
  expect(await pull()).toBe(1);
  expect(started).toEqual([await open()]);
});

const steps = fc.array(fc.constantFrom('claim', 'lose', 'pull', 'pull'), { maxLength: 12 });
const numRuns = Number(process.env['PROPERTY_RUNS'] ?? 60);

test('X7. in any order an attempt adopts once at most, of the one before, and never what was begun', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (order) => {
      const { claim, sealAndLose, pull, events, view } = await machine();
      for (const step of order) {
        if (step === 'claim') await claim();
        else if (step === 'lose') await sealAndLose();
        else await pull();
      }
      const all = await events();
      const adopted = all.filter((event) => 'adopted' in event);
      expect(adopted.length).toBeLessThanOrEqual(1);
      for (const event of adopted) {
        if (event.type !== 'execution.succeeded') throw new Error('only a success is adopted');
        const begun = all.filter((one) => one.type === 'execution.leased' && one.id === event.id);
        expect(begun).toEqual([]);
      }
      expect((await view()).attempts).toEqual([]);
    }),
    { numRuns },
  );
});
