/**
 * Goal: no run is active for ever without anything that would move it: the pages say so at once,
 * and a driver hands it to its operator when its grace is over.
 * Method: rows are taken away behind the machines' back, as a damaged or half restored store has
 * them.
 */
import { expect, test } from 'vitest';
import {
  type Bench,
  bench,
  executed,
  plainDefinition,
  prepared,
  work,
} from '../../test/sim/bench-of-one.ts';
import { ada, nothing as plainResume } from '../../test/sim/human.ts';
import type { NoWork } from '../domain/health/health.ts';
import type { Instant, RunId } from '../domain/ids.ts';
import { recoveryDefaults } from '../domain/recovery/figures.ts';
import { ok } from '../kernel/result.ts';
import type { Rows } from '../ports/store.ts';
import { driverPrincipal, runCommand } from './command.ts';
import { driver } from './driver.ts';
import { type RunHealth, runHealth } from './run-health.ts';

const { graceMs } = recoveryDefaults;
const start = { definition: plainDefinition, detached: true, resumedFrom: null, from: null };
const view = (here: Bench, run: RunId) => here.client.find({ text: run, project: null });

const standing = async (here: Bench, run: RunId) => {
  const { status, phase, noWork } = await view(here, run);
  return { status, phase, noWork };
};

async function begun(here: Bench): Promise<RunId> {
  const { id } = await here.client.start(start, ada);
  await work(here, id, prepared);
  return id;
}

const noRows: Rows = {
  executions: [],
  setTimers: [],
  clearTimers: [],
  openApprovals: [],
  closeApprovals: [],
  references: [],
};
/** Rows that no event called for. */
async function tamper({ engine }: Bench, run: RunId, rows: Partial<Rows>): Promise<void> {
  const at = engine.clock.now();
  const [settled] = await engine.store.transact([{ run, at, actor: 'nobody' }], (next) =>
    ok({ events: [], next, rows: { ...noRows, ...rows } }),
  );
  expect(settled?.kind).toBe('committed');
}
async function rowOf(here: Bench, run: RunId) {
  const id = (await view(here, run)).execution?.id;
  const row = id === undefined ? null : await here.engine.store.execution(id);
  if (row === null) throw new Error('nothing is open');
  return row;
}

/** A host works on it. */
async function take(here: Bench, run: RunId): Promise<void> {
  const { id: execution } = await rowOf(here, run);
  const claim = await here.plane.claim({ execution, holder: seatHolder, nonce: `nonce ${run}` });
  expect(claim.ok).toBe(true);
}

const wait = async (here: Bench, run: RunId): Promise<void> => {
  const until = (here.engine.clock.now() + 60_000) as Instant;
  const request = { type: 'no_capacity', until, detail: 'group web: 1 of 1 busy' } as const;
  await here.engine.issue(runCommand(run, driverPrincipal, here.engine.clock.now(), request));
};

const damages: readonly (readonly [NoWork, (here: Bench, run: RunId) => Promise<void>])[] = [
  [
    'no_timer',
    async (here, run) => {
      await wait(here, run);
      await tamper(here, run, { clearTimers: ['wait'] });
    },
  ],
  [
    'no_execution',
    async (here, run) => {
      const row = await rowOf(here, run);
      await tamper(here, run, { executions: [{ ...row, status: 'CANCELLED', lease: null }] });
    },
  ],
  [
    'no_deadline',
    async (here, run) => {
      await take(here, run);
      await tamper(here, run, { clearTimers: ['attempt_time'] });
    },
  ],
];

/** A look each quarter of a minute, as the driver has it. */
async function looks(here: Bench, health: RunHealth, ms: number): Promise<number> {
  let moved = 0;
  for (let passed = 0; passed < ms; passed += 15_000) {
    here.pass(15_000);
    moved += await health.look();
  }
  return moved;
}

test.each(damages)(
  '%s is told with its reason at once, and parked with options after its grace (RR-7, RR-33)',
  async (reason, damage) => {
    const here = bench();
    const [run, healthy] = [await begun(here), await begun(here)];
    expect((await view(here, run)).noWork).toBeUndefined();
    await take(here, healthy);
    await damage(here, run);
    expect(await view(here, run)).toMatchObject({ status: 'active', noWork: { reason } });
    const log: string[] = [];
    const health = runHealth(here.engine, (line) => log.push(line));
    expect(await looks(here, health, graceMs)).toBe(0);
    expect(health.hasSuspects()).toBe(true);
    expect(await looks(here, health, 15_000)).toBe(1);
    expect(log).toEqual([expect.stringMatching(`^${run} no work: .*: committed$`)]);
    const parked = await view(here, run);
    expect(parked).toMatchObject({ status: 'needs_operator', reason: 'internal_error' });
    expect(parked.detail).toMatch(/^no work: /);
    expect(parked.noWork).toBeUndefined();
    expect(parked.options.map(({ command }) => command)).toEqual(
      expect.arrayContaining([`pawl resume ${parked.short}`, `pawl cancel ${parked.short}`]),
    );
    expect(health.hasSuspects()).toBe(false);
    expect(await standing(here, healthy)).toMatchObject({ status: 'active', noWork: undefined });
    // One step of a human, and it advances again.
    await here.client.resume(run, plainResume, ada);
    expect(await standing(here, run)).toMatchObject({ status: 'active', noWork: undefined });
    await work(here, run, executed);
    expect(await standing(here, run)).toMatchObject({ phase: 'verifying', noWork: undefined });
  },
);

test('a check that no host takes up is told, unless it waits its turn (RR-33)', async () => {
  const here = bench();
  const { id: run } = await here.client.start(start, ada);
  const health = runHealth(here.engine, () => {});
  expect(await looks(here, health, graceMs - 15_000)).toBe(0);
  expect((await view(here, run)).noWork).toBeUndefined();
  here.pass(15_000);
  await here.engine.store.takeSeat({ seat: 'driver', holder: seatHolder, version: '1' }, null);
  expect((await view(here, run)).noWork).toMatchObject({ reason: 'unclaimed' });
  const { id: other } = await here.client.start(start, ada);
  await take(here, other);
  expect((await view(here, run)).noWork).toBeUndefined();
  await here.client.cancel(other, '', ada);
  expect((await view(here, other)).status).toBe('cancelling');
  expect((await view(here, other)).noWork).toBeUndefined();
});

test('a check that nobody takes up is parked as a dispatch that failed (RR-7, RR-31)', async () => {
  const here = bench();
  const { id: run } = await here.client.start(start, ada);
  const health = runHealth(here.engine, () => {});
  await looks(here, health, 2 * graceMs + 15_000);
  expect(await view(here, run)).toMatchObject({
    status: 'needs_operator',
    reason: 'dispatch_failed',
    detail: expect.stringContaining('no host takes it up'),
  });
  expect(await here.engine.store.openExecutions()).toEqual([]);
  const timers = await here.engine.store.timersOf(run);
  expect(timers.map(({ kind }) => kind)).toEqual(['escalation']);
});

test("one run's trouble is no other's: it is told, and the others are judged (DESIGN 13)", async () => {
  const here = bench();
  const [broken, run] = [await begun(here), await begun(here)];
  await tamper(here, run, { clearTimers: ['attempt_time'] });
  const store: typeof here.engine.store = {
    ...here.engine.store,
    timersOf: async (id) => {
      if (id === broken) throw new Error('a row that nobody can read');
      return here.engine.store.timersOf(id);
    },
  };
  const log: string[] = [];
  const health = runHealth({ ...here.engine, store }, (line) => log.push(line));
  expect(await looks(here, health, graceMs + 15_000)).toBe(1);
  expect(log[0]).toBe(`${broken} health: a row that nobody can read`);
  expect((await view(here, run)).status).toBe('needs_operator');
  expect((await view(here, broken)).status).toBe('active');
});

test('a run that moves within its grace is left alone; a gate and a pause are no trouble (RR-7)', async () => {
  const here = bench();
  const run = await begun(here);
  await tamper(here, run, { clearTimers: ['attempt_time'] });
  const health = runHealth(here.engine, () => {});
  await looks(here, health, graceMs);
  await work(here, run, executed);
  expect(await looks(here, health, 2 * graceMs - 30_000)).toBe(0);
  const paused = await begun(here);
  await wait(here, paused);
  await here.client.pause(paused, false, ada);
  expect(await standing(here, paused)).toMatchObject({ status: 'paused', noWork: undefined });
});

/** Waited for, by a timer of the run's own and no queue. */
const noSpace = {
  kind: 'failed',
  class: 'disk_full',
  detail: 'no space left',
  proof: 'kernel',
  commit: null,
  usage: null,
  text: null,
} as const;

test('a driver with nothing else to do stays for it, and leaves once it is handed over (RR-7)', async () => {
  const here = bench();
  const run = await begun(here);
  await work(here, run, noSpace);
  await tamper(here, run, { clearTimers: ['wait'] });
  expect(await here.engine.store.openExecutions()).toEqual([]);
  expect(await here.engine.store.nextTimer()).toBeNull();
  // A driver that would wait for ever is sent away.
  const leave = new AbortController();
  let slept = 0;
  const sleep = async (ms: number) => {
    here.pass(ms);
    slept += ms;
    if (slept > 4 * graceMs) leave.abort();
  };
  const clock = { ...here.engine.clock, sleep };
  const lanes = {
    start: async () => {},
    sealLeft: async () => null,
    ensureCheckHost: async () => {},
    look: async () => ({ state: 'alive' }) as const,
    end: async () => ({ strength: 'kernel', rung: 'x', gaps: [] }) as const,
    forget: async () => {},
  };
  const processes = { self: () => seatHolder, lives: () => true };
  const own = { engine: { ...here.engine, clock }, lanes, processes, worker: 'here', version: '1' };
  expect(await driver(own).run(leave.signal)).toEqual({ why: 'idle' });
  expect(await view(here, run)).toMatchObject({
    status: 'needs_operator',
    detail: expect.stringContaining('no timer will wake it'),
  });
});

const seatHolder = { worker: 'here', bootId: 'b', pid: 9, started: 2 };
