/**
 * Goal: an execution that the store has as begun, without a lease (a store of a time before leases,
 * or a damaged one), is classified and never taken for running (XP-42).
 * Method: the lease row is deleted behind the store's back, in a file and in PostgreSQL; then a
 * sweep looks, with the eyes that a driver has.
 */
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { ExecutionId, RunId } from '../../src/domain/ids.ts';
import { runHealth } from '../../src/engine/run-health.ts';
import { sweeper } from '../../src/engine/sweep.ts';
import { beatWatch, lookAt } from '../../src/host/adoption.ts';
import type { LaneSighting, Lanes } from '../../src/ports/lanes.ts';
import type { Store } from '../../src/ports/store.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { query } from '../../src/store/query.ts';
import { sqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import {
  type Bench,
  bench,
  executed,
  plainDefinition,
  prepared,
  sealOf,
  work,
} from '../sim/bench-of-one.ts';
import { ada, nothing as plainResume } from '../sim/human.ts';
import { lanesThatSee } from '../sim/lanes-that-see.ts';
import { emptyStore, strangersClient } from '../support/postgres.ts';
import { wallClock as clock, strangersConnection, temporary } from './opened.ts';

interface Damaged {
  readonly store: Store;
  /** Deletes every lease. */
  readonly forget: () => Promise<void>;
  readonly close: () => Promise<void>;
}

async function inFile(): Promise<Damaged> {
  const { directory, remove } = temporary();
  const store = await sqliteStore({ directory, clock });
  const stranger = await strangersConnection(directory);
  const all = query<[], never>('delete from leases');
  return {
    store,
    forget: async () => void stranger.run(all),
    close: async () => {
      stranger.close();
      await store.close();
      remove();
    },
  };
}

async function inPostgres(): Promise<Damaged> {
  const url = await emptyStore(inject('postgres'));
  const store = await openPostgresStore({ url, clock });
  const stranger = await strangersClient(url);
  return {
    store,
    forget: async () => void (await stranger.query('delete from leases')),
    close: async () => {
      await stranger.end();
      await store.close();
    },
  };
}

const start = { definition: plainDefinition, detached: true, resumedFrom: null, from: null };
const view = (here: Bench, run: RunId) => here.client.find({ text: run, project: null });
const openIn = async (here: Bench, run: RunId) =>
  (await view(here, run)).execution?.id as ExecutionId;

async function claimed(here: Bench, run: RunId) {
  const execution = await openIn(here, run);
  const holder = { worker: 'w', bootId: 'b', pid: 3, started: 1 };
  const claim = await here.plane.claim({ execution, holder, nonce: execution });
  if (!claim.ok) throw new Error(claim.reason);
  const granted = { execution, grantId: claim.grantId };
  await here.plane.start({ ...granted, rung: 'x', pid: 7 });
  return granted;
}

/** A driver that looks at its own machine, where no spool is. */
function sweepOf(here: Bench, seen?: LaneSighting) {
  const stillForMs = beatWatch(() => here.engine.clock.monotonicMs());
  const own = lanesThatSee(seen ?? { state: 'alive' });
  const lanes: Lanes = {
    ...own.lanes,
    ...(seen === undefined
      ? {
          look: async (open) =>
            lookAt(open, { spool: '/nowhere', worker: 'here', lives: () => false, stillForMs }),
        }
      : {}),
  };
  const options = { engine: here.engine, plane: here.plane, lanes, ttlMs: 30_000 };
  return { ...sweeper({ ...options, log: () => {} }), ended: own.ended };
}

describe.each([
  ['SQLite', inFile],
  ['PostgreSQL', inPostgres],
])('on %s', (_, open) => {
  let damaged: Damaged;
  let here: Bench;
  beforeAll(async () => {
    damaged = await open();
    here = bench(() => damaged.store);
  });
  afterAll(() => damaged.close());

  test('a lane of which nobody knows the holder is UNKNOWN, and its run waits for a human who reconciles it (XP-42, XP-21)', async () => {
    const { id: run } = await here.client.start(start, ada);
    await work(here, run, prepared);
    const granted = await claimed(here, run);
    await damaged.forget();
    expect(await here.engine.store.execution(granted.execution)).toMatchObject({
      status: 'RUNNING',
      lease: null,
    });
    expect(await sweepOf(here).sweep()).toBe(1);
    expect(await view(here, run)).toMatchObject({
      status: 'needs_operator',
      reason: 'unknown_outcome',
    });
    const row = await here.engine.store.execution(granted.execution);
    expect(row).toMatchObject({ status: 'UNKNOWN', lease: null });
    const beat = { ...granted, beat: 1, signals: '{}', usage: null };
    expect(await here.plane.heartbeat(beat)).toMatchObject({ ok: false });
    const late = { ...granted, seal: sealOf('late'), result: executed };
    expect(await here.plane.result(late)).toMatchObject({ ok: false });
    expect(await sweepOf(here).sweep(), 'a human decides, no sweep').toBe(0);
    await expect(here.client.resume(run, plainResume, ada)).rejects.toMatchObject({
      code: 'grant_needed',
    });
    await here.client.resume(run, { ...plainResume, happened: false }, ada);
    const now = await view(here, run);
    expect(now).toMatchObject({ status: 'active', phase: 'executing', attempt: { n: 1 } });
    expect(now.execution?.id).not.toBe(granted.execution);
    await here.client.cancel(run, '', ada);
  });

  test('a check of which nobody knows the holder is run again', async () => {
    const { id: run } = await here.client.start(start, ada);
    const { execution } = await claimed(here, run);
    await damaged.forget();
    expect(await sweepOf(here).sweep()).toBe(1);
    expect(await view(here, run)).toMatchObject({ status: 'active', phase: 'preparing' });
    expect(await openIn(here, run)).not.toBe(execution);
    await here.client.cancel(run, '', ada);
  });

  test('a host that lives without a lease is ended first; then its attempt goes on', async () => {
    const { id: run } = await here.client.start(start, ada);
    await work(here, run, prepared);
    const { execution } = await claimed(here, run);
    await damaged.forget();
    const silent = sweepOf(here, { state: 'silent', forMs: 0 });
    expect(await silent.sweep()).toBe(1);
    expect(silent.ended).toEqual([execution]);
    expect(await view(here, run)).toMatchObject({ status: 'active', attempt: { n: 1 } });
    expect(await openIn(here, run)).not.toBe(execution);
    const health = runHealth(here.engine, () => {});
    expect(await health.look()).toBe(0);
    await here.client.cancel(run, '', ada);
  });
});
