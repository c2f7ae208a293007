import { expect, test } from 'vitest';
import {
  type Bench,
  bench,
  holder,
  plainDefinition,
  prepared,
  work,
} from '../../test/sim/bench-of-one.ts';
import { ada } from '../../test/sim/human.ts';
import type { ExecutionId } from '../domain/ids.ts';
import { TransientError, WorldError } from '../kernel/errors.ts';
import type { Lanes } from '../ports/lanes.ts';
import type { Seat } from '../ports/store.ts';
import { dispatcher } from './dispatch.ts';
import { type Among, alone } from './driver-roles.ts';

const concurrency = { group: 'g', max: 1 };
const definition = { ...plainDefinition, concurrency };
const start = { definition, detached: true, resumedFrom: null, from: null };

function puller(here: Bench, begin: (execution: ExecutionId) => void, among: Among = alone) {
  const checksAsked: boolean[] = [];
  const lanes: Lanes = {
    start: async ({ id }) => begin(id),
    sealLeft: async () => null,
    ensureCheckHost: async (_holder, isSilent) => {
      checksAsked.push(isSilent);
    },
    look: async () => ({ state: 'alive' }),
    end: async () => ({ strength: 'kernel', rung: 'x', gaps: [] }),
    forget: async () => {},
  };
  const base = { engine: here.engine, lanes, among, offerMs: 10_000, log: () => {} };
  const dispatch = dispatcher({ ...base, checkHostIsSilent: ({ beat }) => beat === 0 });
  return { ...dispatch, checksAsked };
}

/** A run whose lane is ready to be started. */
async function ready(here: Bench): Promise<string> {
  const { id } = await here.client.start(start, ada);
  await work(here, id, prepared);
  return id;
}
const find = (here: Bench, text: string) => here.client.find({ text, project: null });

test('checks are left to the check host, of which the life is looked after', async () => {
  const here = bench();
  await here.client.start(start, ada);
  const started: string[] = [];
  const pull = puller(here, (id) => started.push(id));
  await pull.pull();
  expect(pull.checksAsked).toEqual([false]);
  expect(started).toEqual([]);
});

test('a check host that stands still without a check is ended for another (RR-5, L-K8)', async () => {
  const here = bench();
  await here.client.start(start, ada);
  const { pull, checksAsked } = puller(here, () => {});
  const seat: Seat = { seat: 'checks', holder, version: 'x' };
  await here.engine.store.takeSeat(seat, null);
  await pull();
  await here.engine.store.beatSeat(seat);
  await pull();
  expect(checksAsked).toEqual([true, false]);
});

test('a row is offered once; who loses the offer starts nothing (D-19)', async () => {
  const here = bench();
  await ready(here);
  const started: string[] = [];
  const pullers = [1, 2].map(() => puller(here, (id) => started.push(id)));
  await Promise.all(pullers.map(({ pull }) => pull()));
  expect(started).toHaveLength(1);
  here.pass(10_001);
  await pullers[0]?.pull();
  expect(started).toHaveLength(2);
});

test('whose turn to give slots away is over starts nothing; who has it does', async () => {
  const here = bench();
  const run = await ready(here);
  const turn: Seat = { seat: 'slots', holder, version: 'x' };
  const started: string[] = [];
  const among: Among = { ...alone, slots: (act) => act(turn) };
  const pull = puller(here, (id) => started.push(id), among);
  await pull.pull();
  expect(started).toEqual([]);
  expect((await find(here, run)).status).toBe('active');
  await here.engine.store.takeSeat(turn, null);
  await pull.pull();
  expect(started).toEqual([`${run}.2`]);
});

test('a run over the limit of its group waits, and says so', async () => {
  const here = bench();
  const first = await ready(here);
  const second = await ready(here);
  const started: string[] = [];
  await puller(here, (id) => started.push(id)).pull();
  expect(started).toEqual([`${first}.2`]);
  const waiting = await find(here, second);
  expect(waiting).toMatchObject({ phase: 'waiting', waiting: { reason: 'no_capacity' } });
});

test('a dispatch that throws parks the run "dispatch failed"; nothing is orphaned (EV-48)', async () => {
  const here = bench();
  const run = await ready(here);
  await puller(here, () => {
    throw new WorldError('spawn_failed', 'no such program');
  }).pull();
  const parked = await find(here, run);
  expect(parked).toMatchObject({ status: 'needs_operator', reason: 'dispatch_failed' });
  expect(parked.detail).toContain('no such program');
  expect(parked.execution).toBeNull();
});

test('a spawn that may work is tried again, bounded', async () => {
  const here = bench();
  const run = await ready(here);
  let tries = 0;
  await puller(here, () => {
    tries += 1;
    if (tries < 3) throw new TransientError('spawn_failed', 'busy');
  }).pull();
  expect(tries).toBe(3);
  expect((await find(here, run)).status).toBe('active');
});

test('a host that never claims is not started for ever', async () => {
  const here = bench();
  const run = await ready(here);
  const pull = puller(here, () => {});
  for (let offers = 0; offers < 6; offers += 1) {
    await pull.pull();
    here.pass(10_001);
  }
  expect(await find(here, run)).toMatchObject({ reason: 'dispatch_failed' });
});

test('a puller that slept says nothing about a job that was claimed meanwhile', async () => {
  const here = bench();
  const run = await ready(here);
  const execution = `${run}.2` as ExecutionId;
  await here.plane.claim({ execution, holder, nonce: 'n' });
  const at = here.engine.clock.now();
  const principal = { kind: 'driver', actor: 'd', channel: 'driver', ancestry: null } as const;
  const command = { type: 'no_capacity', until: at, detail: 'full', at, principal } as const;
  const id = (await find(here, run)).id;
  const issued = await here.engine.issue({
    kind: 'run',
    run: id,
    at,
    actor: 'd',
    principal,
    command,
  });
  expect(issued).toMatchObject({ kind: 'rejected', rejection: { code: 'job.stale' } });
});
