/**
 * Goal: an execution that no run awaits is ended, and costs nobody anything (RR-27).
 * Method: it is put there behind the machines' back, as a damaged store has it.
 */
import { expect, test } from 'vitest';
import {
  type Bench,
  bench,
  executed,
  plainDefinition,
  prepared,
  work,
} from '../../../test/sim/bench-of-one.ts';
import { ada } from '../../../test/sim/human.ts';
import { lanesThatSee } from '../../../test/sim/lanes-that-see.ts';
import { executionId, type Fence, type GrantId } from '../../domain/ids.ts';
import type { StreamEvent } from '../../domain/run/aggregate.ts';
import { ok } from '../../kernel/result.ts';
import { foldEvolve } from '../fold.ts';
import { sweeper } from '../sweep.ts';

async function begun() {
  const here = bench();
  const start = { definition: plainDefinition, detached: true, resumedFrom: null, from: null };
  const { id: run } = await here.client.start(start, ada);
  await work(here, run, prepared);
  const { lanes, ended } = lanesThatSee({ state: 'alive' });
  const log: string[] = [];
  const options = { engine: here.engine, plane: here.plane, lanes, ttlMs: 30_000 };
  const sweep = () => sweeper({ ...options, log: (line) => log.push(line) }).sweep();
  return { here, run, sweep, ended, log };
}
type Begun = Awaited<ReturnType<typeof begun>>;

/** A second execution of the job that the run awaits, held by somebody or by nobody. */
async function doubled({ here, run }: Begun, isHeld: boolean) {
  const id = executionId(run, 77);
  const holder = { worker: 'here', bootId: 'b', pid: 9, started: 1 };
  const grantId = 'second' as GrantId;
  const command = { run, at: here.engine.clock.now(), actor: 'nobody' };
  await here.engine.store.transact([command], (aggregate) => {
    const [first] = aggregate.executions.filter(({ status }) => status === 'DISPATCHED');
    if (first === undefined) throw new Error('nothing is open');
    const { job } = first;
    const grant = { id: grantId, nonce: 'x', fence: 9 as Fence, holder };
    const events: readonly StreamEvent[] = [
      { type: 'execution.dispatched', id, n: 77, job, at: command.at },
      ...(isHeld ? [{ type: 'execution.leased', id, grant } as const] : []),
    ];
    const row = {
      ...{ id, run, n: 77, role: job.role, attempt: 1, class: null, job, fence: 9 },
      ...{ createdAt: command.at, status: isHeld ? ('LEASED' as const) : ('DISPATCHED' as const) },
      lease: isHeld ? { grantId, holder } : null,
    };
    const rows = {
      ...{ executions: [row], setTimers: [], clearTimers: [], openApprovals: [] },
      ...{ closeApprovals: [], references: [] },
    };
    return ok({ events, next: events.reduce(foldEvolve, aggregate), rows });
  });
  return { id, grantId };
}
const view = (here: Bench, run: Begun['run']) => here.client.find({ text: run, project: null });

test('a second lease of a job is asked to end, once, and no budget is spent (RR-27, RR-28)', async () => {
  const one = await begun();
  const { here, run, sweep } = one;
  const before = await view(here, run);
  const { id, grantId } = await doubled(one, true);
  expect(await sweep()).toBe(1);
  expect((await here.engine.store.execution(id))?.status).toBe('CANCEL_REQUESTED');
  const beat = { execution: id, grantId, beat: 1, signals: '{}', usage: null };
  expect(await here.plane.heartbeat(beat)).toMatchObject({ ok: true, cancel: true });
  expect(await sweep()).toBe(0);
  await here.plane.cancelAck({ execution: id, grantId, proof: 'kernel' });
  expect((await view(here, run)).execution?.id).toBe(before.execution?.id);
  const loaded = await here.engine.store.loadRun(run);
  expect(loaded?.aggregate.run).toMatchObject({
    counters: { requeues: 0, transfers: 0, totalErrors: 0, attempts: 0 },
  });
  await work(here, run, executed);
  expect(await view(here, run)).toMatchObject({ phase: 'verifying', attempt: { n: 1 } });
});

test('one that nobody holds is taken back before anybody starts it (RR-27)', async () => {
  const one = await begun();
  const { id } = await doubled(one, false);
  expect(await one.sweep()).toBe(1);
  const open = await one.here.engine.store.openExecutions();
  expect(open.map((row) => row.id)).not.toContain(id);
  expect(open).toHaveLength(1);
});

test('a sweep reads the runs once, and by itself only one that may have an orphan', async () => {
  const one = await begun();
  const { here } = one;
  const start = { definition: plainDefinition, detached: true, resumedFrom: null, from: null };
  for (let n = 0; n < 3; n += 1) await here.client.start(start, ada);
  const { store } = here.engine;
  const read: string[] = [];
  const counted: typeof store = {
    ...store,
    loadRun: (id) => {
      read.push(id);
      return store.loadRun(id);
    },
    runs: (filter) => {
      read.push('runs');
      return store.runs(filter);
    },
  };
  const engine = { ...here.engine, store: counted };
  const { lanes } = lanesThatSee({ state: 'alive' });
  const { sweep } = sweeper({ ...{ engine, plane: here.plane, lanes, ttlMs: 1 }, log: () => {} });
  expect(await sweep()).toBe(0);
  expect(read).toEqual(['runs']);
  await doubled(one, false);
  read.length = 0;
  expect(await sweep()).toBe(1);
  expect(read).toEqual(['runs', one.run]);
});

test('what a run awaits is left alone', async () => {
  const { sweep, here, run } = await begun();
  expect(await sweep()).toBe(0);
  expect((await view(here, run)).execution?.status).toBe('DISPATCHED');
});
