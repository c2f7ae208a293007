import { expect, test } from 'vitest';
import type { PermissionAsk } from '../domain/approval/permission.ts';
import type { Instant } from '../domain/ids.ts';
import type { Clock } from '../ports/clock.ts';
import { asksMax, permissionDesk } from './permission-desk.ts';
import { workingDeadline } from './working-deadline.ts';

/** Time passes only when it is told to, and wakes whoever sleeps that long. */
function handClock() {
  let now = 0;
  const sleepers = new Map<() => void, number>();
  const clock: Clock = {
    now: () => now as Instant,
    monotonicMs: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        sleepers.set(resolve, now + ms);
        signal?.addEventListener('abort', () => resolve(), { once: true });
      }),
  };
  const settle = async () => {
    for (let turn = 0; turn < 30; turn += 1) await Promise.resolve();
  };
  const pass = async (ms: number) => {
    await settle();
    now += ms;
    for (const [wake, at] of sleepers) {
      if (at > now) continue;
      sleepers.delete(wake);
      wake();
    }
    await settle();
  };
  return { clock, pass, settle, asleep: () => sleepers.size };
}

const wants = (title: string, digest = title) =>
  ({ kind: 'permission', request: `r-${title}`, tool: 'shell', title, digest }) as const;

function desk(answers: readonly ('ok' | 'no' | 'down')[] = []) {
  const time = handClock();
  const asked: PermissionAsk[] = [];
  const left: string[] = [];
  let beats = 0;
  const one = permissionDesk({
    clock: time.clock,
    ask: async (ask) => {
      asked.push(ask);
      const answer = answers[asked.length - 1] ?? 'ok';
      if (answer === 'down') throw new Error('busy');
      return answer === 'ok' ? { ok: true } : { ok: false, reason: 'execution.not_open' };
    },
    beat: async () => {
      beats += 1;
    },
    agent: () => 'gemini 1',
    redact: (text) => text.replaceAll('s3cret', '‹redacted›'),
    onFailure: () => {},
    onLeft: (request) => left.push(request),
  });
  return { ...time, desk: one, left, asked, beats: () => beats };
}

test('requests are carried one at a time, redacted, and each is answered once', async () => {
  const it = desk();
  const first = it.desk.decide(wants('push s3cret', 'd'.repeat(500)));
  const second = it.desk.decide(wants('rm'));
  await it.settle();
  expect(it.asked).toMatchObject([{ request: 'p1', tool: 'shell', title: 'push ‹redacted›' }]);
  expect(it.asked[0]?.args.length).toBeLessThanOrEqual(128);
  expect(it.beats()).toBe(1);
  it.desk.answered({ request: 'p0', decision: 'allow' });
  it.desk.answered({ request: 'p1', decision: 'allow' });
  expect(await first).toBe('allow');
  await it.settle();
  // The newest answer comes with every beat: it is not the answer to another question.
  it.desk.answered({ request: 'p1', decision: 'allow' });
  expect(it.asked.map(({ request }) => request)).toEqual(['p1', 'p2']);
  expect(it.desk.isWaiting()).toBe(true);
  it.desk.answered({ request: 'p2', decision: 'deny' });
  expect(await second).toBe('rejected');
  expect(it.desk.isWaiting()).toBe(false);
});

test('the same call has the same digests, the same title of another tool has not', async () => {
  const it = desk(['no', 'no', 'no']);
  for (const tool of ['shell', 'shell', 'edit']) await it.desk.decide({ ...wants('push'), tool });
  const [a, b, c] = it.asked.map(({ args, definition }) => `${args} ${definition}`);
  expect([a === b, a === c]).toEqual([true, false]);
});

test('an engine that does not answer is asked again; one that refuses has refused', async () => {
  const it = desk(['down', 'down', 'no']);
  const decided = it.desk.decide(wants('push'));
  await it.settle();
  expect(it.asked).toHaveLength(1);
  await it.pass(3_000);
  await it.pass(3_000);
  expect(it.asked.map(({ request }) => request)).toEqual(['p1', 'p1', 'p1']);
  expect(await decided).toBe('unasked');
  // Until the engine had it, no human was waited for.
  expect(it.desk.waitedMs()).toBe(0);
});

test('what waits when the turn ends is denied, and a later turn asks anew', async () => {
  const it = desk();
  const both = [it.desk.decide(wants('a')), it.desk.decide(wants('b'))];
  await it.settle();
  it.desk.clear();
  expect(await Promise.all(both)).toEqual(['over', 'over']);
  expect(it.left).toEqual(['p1']);
  const later = it.desk.decide(wants('c'));
  await it.settle();
  it.desk.answered({ request: it.asked.at(-1)?.request ?? '', decision: 'allow' });
  expect(await later).toBe('allow');
});

test('what the lane takes back is left, and told of; what comes after it waits for room (RR-26)', async () => {
  const it = desk(['ok', 'no', 'ok']);
  const first = it.desk.decide(wants('a'));
  const second = it.desk.decide(wants('b'));
  const third = it.desk.decide(wants('c'));
  await it.settle();
  it.desk.withdrawn('r-b');
  it.desk.withdrawn('r-a');
  expect([await first, await second]).toEqual(['over', 'over']);
  expect(it.left).toEqual(['p1']);
  await it.settle();
  // The engine has the first one still, which no human is to answer any more.
  expect(it.asked.map(({ request }) => request)).toEqual(['p1', 'p3']);
  it.desk.answered({ request: 'p1', decision: 'deny' });
  await it.pass(3_000);
  expect(it.asked.map(({ request }) => request)).toEqual(['p1', 'p3', 'p3']);
  it.desk.answered({ request: 'p3', decision: 'allow' });
  expect(await third).toBe('allow');
  it.desk.withdrawn('r-c');
  expect(it.desk.isWaiting()).toBe(false);
  expect(it.left).toEqual(['p1']);
});

test('one that comes after a question which stays is refused in the end', async () => {
  const it = desk(['ok', ...Array.from({ length: 30 }, () => 'no' as const)]);
  const first = it.desk.decide(wants('a'));
  await it.settle();
  it.desk.withdrawn('r-a');
  expect(await first).toBe('over');
  const second = it.desk.decide(wants('b'));
  for (let n = 0; n < 20; n += 1) await it.pass(3_000);
  expect(await second).toBe('unasked');
});

test('a lane that asks without end is refused without a human', async () => {
  const it = desk(Array.from({ length: asksMax }, () => 'no'));
  for (let n = 0; n < asksMax + 5; n += 1) await it.desk.decide(wants(String(n)));
  expect(it.asked).toHaveLength(asksMax);
});

test('time before a human is not the time of the lane (DESIGN 4.1, UX 4.2)', async () => {
  const it = desk();
  let isOver = false;
  const over = new AbortController();
  const limit = { deadlineMs: 10_000, waitedMs: it.desk.waitedMs };
  void workingDeadline(it.clock, limit, over.signal).then(() => {
    isOver = true;
  });
  await it.pass(4_000);
  const decided = it.desk.decide(wants('push'));
  await it.pass(6_000);
  for (let hour = 0; hour < 8; hour += 1) await it.pass(3_600_000);
  expect(isOver).toBe(false);
  it.desk.answered({ request: 'p1', decision: 'allow' });
  expect(await decided).toBe('allow');
  await it.pass(5_000);
  expect(isOver).toBe(false);
  await it.pass(1_000);
  await it.pass(1_000);
  expect(isOver).toBe(true);
});
