import { expect, test } from 'vitest';
import type { ExecutionId, GrantId, Instant } from '../domain/ids.ts';
import { WorldError } from '../kernel/errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { HeartbeatAnswer } from '../ports/store.ts';
import { handIn } from './hand-in.ts';
import { keepLease } from './lease.ts';

/** Time passes only when it is told to. */
function handClock() {
  let now = 0;
  let wall = 0;
  let slept = 0;
  let sleepers: { at: number; wake: () => void }[] = [];
  const clock: Clock = {
    now: () => (now + wall) as Instant,
    monotonicMs: () => now,
    uptimeMs: () => now + slept,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted === true) return resolve();
        signal?.addEventListener('abort', () => resolve(), { once: true });
        sleepers.push({ at: now + ms, wake: resolve });
      }),
  };
  const settle = async () => {
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  };
  const pass = async (ms: number) => {
    await settle();
    now += ms;
    const due = sleepers.filter(({ at }) => at <= now);
    sleepers = sleepers.filter(({ at }) => at > now);
    for (const { wake } of due) wake();
    await settle();
  };
  /** The machine sleeps: its monotonic clock and all timers stand still. */
  const sleep = (ms: number) => {
    slept += ms;
  };
  /** Somebody sets the wall clock. */
  const set = (ms: number) => {
    wall += ms;
  };
  return { clock, pass, sleep, set };
}

const grant = { execution: 'a.1' as ExecutionId, grantId: 'g' as GrantId };

function lease(answers: readonly (HeartbeatAnswer | Error)[], fencedFromMs?: number) {
  const { clock, pass, sleep, set } = handClock();
  const beats: number[] = [];
  const failures: unknown[] = [];
  const cut: unknown[] = [];
  const kept = keepLease({
    plane: {
      heartbeat: async ({ beat }) => {
        beats.push(beat);
        const answer = answers[beats.length - 1] ?? { ok: true, cancel: false, pause: false };
        if (answer instanceof Error) throw answer;
        return answer;
      },
    },
    clock,
    grant,
    ttlMs: 6_000,
    signals: () => '{}',
    usage: () => null,
    onFailure: (error) => failures.push(error),
    onTooOld: (beat) => cut.push(beat),
    ...(fencedFromMs === undefined ? {} : { fencedFromMs }),
  });
  return { kept, pass, sleep, set, beats, failures, cut };
}

test('beats every third of the lease, each with the next number', async () => {
  const { kept, pass, beats } = lease([]);
  await pass(1_999);
  expect(beats).toEqual([]);
  await pass(1);
  await pass(2_000);
  expect(beats).toEqual([1, 2]);
  await kept.end();
  await pass(60_000);
  expect(beats).toEqual([1, 2]);
});

test('a call that fails is not a refusal: the next beat is sent', async () => {
  const { kept, pass, beats, failures } = lease([new Error('busy')]);
  await pass(2_000);
  expect(kept.stop).toBeNull();
  expect(failures).toHaveLength(1);
  await pass(2_000);
  expect(beats).toEqual([1, 2]);
  await kept.end();
});

const newer = new WorldError('store_newer', 'the store has format 3, this pawl knows 2');

test('a store that a later pawl has migrated refuses beats, and the work goes on (D-61)', async () => {
  const { kept, pass, beats, failures, cut } = lease([newer, new Error('busy'), newer]);
  await pass(2_000);
  await pass(2_000);
  await pass(2_000);
  expect([kept.stop, beats, failures.length]).toEqual([null, [1, 2, 3], 3]);
  const told = { ...grant, signals: '{}', usage: null };
  expect(cut).toEqual([
    { ...told, beat: 1 },
    { ...told, beat: 3 },
  ]);
  await kept.end();
});

test('a refusal is final and aborts the work; what comes later does not change it', async () => {
  const cancel = { ok: true, cancel: true, pause: false } as const;
  const { kept, pass } = lease([{ ok: false, reason: 'grant.stale' }, cancel]);
  await pass(2_000);
  expect(kept.signal.aborted).toBe(true);
  await pass(2_000);
  expect(kept.stop).toEqual({ why: 'refused', reason: 'grant.stale' });
  await kept.end();
});

test('a cancel is heard at the next beat', async () => {
  const { kept, pass } = lease([{ ok: true, cancel: true, pause: false }]);
  await pass(2_000);
  expect(kept.stop).toEqual({ why: 'cancel' });
  await kept.end();
});

test('a cancel that may not wait is heard as such, after a patient one too', async () => {
  const asked = { ok: true, cancel: true, pause: false } as const;
  const { kept, pass } = lease([asked, { ...asked, now: true }]);
  await pass(2_000);
  expect([kept.signal.aborted, kept.hurry.aborted]).toEqual([true, false]);
  await pass(2_000);
  expect(kept.hurry.aborted).toBe(true);
  await kept.end();
});

test('a last word is said again while nobody answers, and no longer than the lease', async () => {
  const { clock, pass } = handClock();
  let said = 0;
  const options = {
    clock,
    ids: { fraction: () => 0.5 },
    forMs: 30_000,
    onFailure: () => {},
    isRemote: false,
  };
  const unheard = handIn(options, async () => {
    said += 1;
    throw new Error('busy');
  });
  for (let turn = 0; turn < 40; turn += 1) await pass(1_000);
  expect(await unheard).toBeNull();
  expect(said).toBeGreaterThan(5);
  expect(said).toBeLessThan(20);
  const heard = await handIn(options, async () => ({ ok: false, reason: 'seal.conflict' }));
  expect(heard).toEqual({ ok: false, reason: 'seal.conflict' });
});

test.each([
  ['here is said once: the store stays as it is', false, 1],
  ['elsewhere is said again: a later server comes', true, 3],
])('a last word that a newer store refuses %s', async (_, isRemote, times) => {
  const { clock, pass } = handClock();
  let said = 0;
  const means = { clock, ids: { fraction: () => 0.5 }, forMs: 30_000, onFailure: () => {} };
  const heard = handIn({ ...means, isRemote }, async () => {
    said += 1;
    if (said < 3) throw newer;
    return { ok: true };
  });
  for (let turn = 0; turn < 10; turn += 1) await pass(1_000);
  expect(await heard).toEqual(isRemote ? { ok: true } : null);
  expect(said).toBe(times);
});

test('a holder whose lease ends elsewhere stops 2 s before it can be over there (D-33, D-43)', async () => {
  const lost = new Error('no answer');
  const { kept, pass, beats } = lease([lost, lost, lost], 0);
  await pass(2_000);
  await pass(1_999);
  expect(kept.stop).toBeNull();
  await pass(1);
  expect(kept.stop).toEqual({ why: 'refused', reason: 'the lease was not renewed in time' });
  expect(kept.signal.aborted).toBe(true);
  expect(kept.hurry.aborted).toBe(true);
  expect(beats.length).toBeGreaterThan(0);
  await kept.end();
});

test.each([
  ['forward', 3_600_000],
  ['back', -3_600_000],
])(
  'a wall clock that is set %s neither ends a lease nor keeps one (D-33, L-D19)',
  async (_, ms) => {
    const lost = new Error('no answer');
    const { kept, pass, set } = lease([lost, lost, lost], 0);
    await pass(2_000);
    set(ms);
    await pass(1_999);
    expect(kept.stop).toBeNull();
    await pass(1);
    expect(kept.stop).toEqual({ why: 'refused', reason: 'the lease was not renewed in time' });
    await kept.end();
  },
);

test('a machine that slept past its lease stops when it wakes, before it asks anybody (D-43)', async () => {
  const { kept, pass, sleep, beats } = lease([], 0);
  await pass(2_000);
  sleep(3_600_000);
  await pass(1_000);
  expect(kept.stop).toEqual({ why: 'refused', reason: 'the lease was not renewed in time' });
  expect(beats).toEqual([1]);
  await kept.end();
});

test('a nap that its lease outlives stops nothing (D-44)', async () => {
  const { kept, pass, sleep } = lease([], 0);
  await pass(2_000);
  sleep(1_500);
  for (let n = 0; n < 20; n += 1) await pass(1_000);
  expect(kept.stop).toBeNull();
  await kept.end();
});

test('each renewal counts from before its beat was sent, and keeps the work', async () => {
  const { kept, pass } = lease([], 0);
  for (let n = 0; n < 20; n += 1) await pass(2_000);
  expect(kept.stop).toBeNull();
  await kept.end();
});

test('where the store has no clock for it a lease lapses by no clock (design/store.md)', async () => {
  const lost = new Error('no answer');
  const { kept, pass } = lease(Array.from({ length: 50 }, () => lost));
  for (let n = 0; n < 30; n += 1) await pass(2_000);
  expect(kept.stop).toBeNull();
  await kept.end();
});
