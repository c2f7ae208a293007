/**
 * Goal: a host of an earlier pawl, whose beats a migrated store does not take, keeps its lease and
 * its lane, and what it seals is handed in at the next round.
 * Method: one engine over a store in memory; what is seen of the host is set by the test.
 */
import { expect, test } from 'vitest';
import { executed, readyLane, sealOf } from '../../test/sim/bench-of-one.ts';
import { ada } from '../../test/sim/human.ts';
import type { GrantId } from '../domain/ids.ts';
import type { LaneSighting, Lanes } from '../ports/lanes.ts';
import { sweeper } from './sweep.ts';

async function held() {
  const { here, id, view, execution } = await readyLane();
  const holder = { worker: 'here', bootId: 'b', pid: 7, started: 1 };
  const claim = await here.plane.claim({ execution, holder, nonce: 'n' });
  if (!claim.ok) throw new Error(claim.reason);
  const { grantId } = claim;
  await here.plane.start({ execution, grantId, rung: 'x', pid: 7 });
  return { here, id, view, execution, grantId };
}

const gone: LaneSighting = { state: 'dead', class: 'lane_died', detail: 'gone', sessionId: null };
const cutAt = (grantId: GrantId, beat: number): LaneSighting => ({
  state: 'alive',
  cut: { grantId, beat, signals: `{"beat":${beat}}`, usage: null },
});

async function swept() {
  const it = await held();
  const { store } = it.here.engine;
  const seen = { now: cutAt(it.grantId, 1), looks: 0, ended: 0, expired: false };
  const beats: number[] = [];
  const lanes: Lanes = {
    start: async () => {},
    sealLeft: async () => null,
    ensureCheckHost: async () => {},
    look: async () => {
      seen.looks += 1;
      return seen.now;
    },
    end: async () => {
      seen.ended += 1;
      seen.now = gone;
      return { strength: 'kernel', rung: 'x', gaps: [] };
    },
    forget: async () => {},
  };
  const watched = {
    ...store,
    expireLeases: async () => (seen.expired ? store.openExecutions() : []),
    heartbeat: (beat: Parameters<typeof store.heartbeat>[0]) => {
      beats.push(beat.beat);
      if (seen.expired) return Promise.resolve({ ok: false, reason: 'grant.stale' } as const);
      return store.heartbeat(beat);
    },
  };
  const read: string[] = [];
  const artifacts: typeof it.here.engine.artifacts = {
    ...it.here.engine.artifacts,
    get: (digest) => {
      read.push(digest);
      return it.here.engine.artifacts.get(digest);
    },
  };
  const engine = { ...it.here.engine, store: watched, artifacts };
  const options = { engine, plane: it.here.plane, lanes, ttlMs: 30_000, log: () => {} };
  return { ...it, seen, beats, read, sweeps: sweeper(options) };
}

test('each of its beats is told for it once, in every round', async () => {
  const { here, execution, grantId, seen, beats, sweeps } = await swept();
  expect(await sweeps.sweep()).toBe(0);
  await sweeps.sweepExpired();
  seen.now = cutAt(grantId, 4);
  await sweeps.sweepExpired();
  await sweeps.sweep();
  expect(beats).toEqual([1, 4]);
  const row = await here.engine.store.execution(execution);
  expect(row).toMatchObject({ beat: 4, signals: '{"beat":4}' });
});

test('what it seals is handed in at the next round, and is of the same attempt', async () => {
  const { here, view, execution, grantId, seen, read, sweeps } = await swept();
  await sweeps.sweep();
  const text = await here.artifacts.put('said', 'note');
  const result = { ...executed, text };
  seen.now = { state: 'sealed', grantId, seal: sealOf('left'), result };
  expect(await sweeps.sweepExpired()).toBe(1);
  expect(await view()).toMatchObject({ phase: 'verifying', attempt: { n: 1 } });
  expect((await here.engine.store.execution(execution))?.status).toBe('SUCCEEDED');
  // Read before it is referred to: that carries it over from where its host had to leave it.
  expect(read).toContain(text);
  const { looks } = seen;
  await sweeps.sweepExpired();
  expect(seen.looks).toBe(looks);
});

test('a cancel does not reach it, so it is ended in its stead', async () => {
  const { here, id, view, seen, sweeps, grantId } = await swept();
  await sweeps.sweep();
  await here.client.cancel(id, '', ada);
  seen.now = cutAt(grantId, 2);
  expect(await sweeps.sweepExpired()).toBe(1);
  expect(seen.ended).toBe(1);
  expect((await view()).status).toBe('cancelled');
});

test('its lease may be over: it is left alone while it beats, and ended when it is silent', async () => {
  const { view, execution, grantId, seen, beats, sweeps } = await swept();
  seen.expired = true;
  expect(await sweeps.sweep()).toBe(0);
  expect(await sweeps.sweepExpired()).toBe(0);
  seen.now = cutAt(grantId, 2);
  expect(await sweeps.sweepExpired()).toBe(0);
  expect([seen.ended, (await view()).execution?.id]).toEqual([0, execution]);
  // Refused once, it is not told again.
  expect(beats).toEqual([1]);
  const { cut } = seen.now as Extract<LaneSighting, { state: 'alive' }>;
  if (cut === undefined) throw new Error('it is cut off');
  seen.now = { state: 'silent', forMs: 1_000, cut };
  expect(await sweeps.sweep()).toBe(0);
  seen.now = { state: 'silent', forMs: 30_000, cut };
  expect(await sweeps.sweep()).toBe(1);
  expect(seen.ended).toBe(1);
  expect((await view()).attempt).toMatchObject({ n: 1 });
});

test('a host that a driver finds as it begins is looked at in every round until it beats by itself', async () => {
  const { here, execution, grantId, seen, sweeps } = await swept();
  seen.now = { state: 'alive' };
  await sweeps.sweep();
  await sweeps.sweepExpired();
  expect(seen.looks).toBe(2);
  const beat = { execution, grantId, beat: 1, signals: '{}', usage: null };
  await here.engine.store.heartbeat(beat);
  await sweeps.sweepExpired();
  await sweeps.sweepExpired();
  expect(seen.looks).toBe(3);
});
