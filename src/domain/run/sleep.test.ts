/** Goal: a machine that slept is no silence, no active time and no part of a job's window. */
import { expect, test } from 'vitest';
import {
  at,
  command,
  driver,
  execution,
  failed,
  prepared,
  runAfter,
  sealed,
  start,
} from '../../../test/support/run-fixtures.ts';
import { activeMsAt } from '../budget/budget.ts';
import { decide } from './decide.ts';
import { react } from './react.ts';
import type { LivingRun } from './state.ts';
import { afterSleep } from './told.ts';

const slept = (since: number, until: number, ms = until) =>
  command({ type: 'record_sleep', since: at(since), until: at(until) }, ms, driver);
const event = (since: number, until: number, ms = until) =>
  ({ type: 'machine.slept', since: at(since), until: at(until), at: at(ms) }) as const;
const decided = (run: LivingRun, ...told: Parameters<typeof slept>) => decide(run, slept(...told));

test('a job that works gets its window anew, a stretch of sleep is no active time (UX 3.2)', () => {
  const working = runAfter(start(), sealed(1, prepared(), 10_000));
  expect(decided(working, 20_000, 60_000)).toEqual({
    ok: true,
    value: [
      event(20_000, 60_000),
      { type: 'job.window_renewed', execution: execution(2), at: at(60_000) },
    ],
  });
  const woken = runAfter(start(), sealed(1, prepared(), 10_000), slept(20_000, 60_000));
  expect(activeMsAt(working, at(60_000))).toBe(60_000);
  expect(activeMsAt(woken, at(60_000))).toBe(20_000);
  const left = { kind: 'set_timer', timer: 'active_time', dueAt: at(140_000) };
  expect(react(woken, event(20_000, 60_000))).toMatchObject([left]);
});

test('a wait goes on by the wall clock: only the sleep is told', () => {
  const limited = failed('rate_limited', { resumesAt: at(500_000) } as never);
  const waiting = runAfter(start(), sealed(1, prepared(), 10), sealed(2, limited, 20));
  expect(waiting).toMatchObject({ status: 'active', stage: { phase: 'waiting' } });
  expect(decided(waiting, 30, 70)).toEqual({ ok: true, value: [event(30, 70)] });
  expect(react(waiting, event(30, 70))).toEqual([]);
});

test('a job that was asked to stop gets no further time', () => {
  const asked = runAfter(
    start(),
    sealed(1, prepared(), 10),
    command({ type: 'pause', now: true }, 20),
  );
  expect(decided(asked, 30, 70)).toEqual({ ok: true, value: [event(30, 70)] });
});

test('a run that does not work has nothing to adjust, and no sleep is none', () => {
  const cancelled = runAfter(start(), command({ type: 'cancel', note: '', leased: false }, 5));
  expect(decided(cancelled, 10, 20)).toEqual({ ok: true, value: [] });
  expect(decided(runAfter(start()), 20, 20)).toEqual({ ok: true, value: [] });
});

test('without a brake on active time there is no timer to set anew', () => {
  const brakes = { ...runAfter(start()).terms.brakes, timeMs: null };
  expect(react(runAfter(start({ brakes })), event(10, 20))).toEqual([]);
});

test('a stretch of active time never begins in the future (R8)', () => {
  const run = runAfter(start({}, 100));
  expect(afterSleep(run, event(0, 900, 500))).toBe(500);
  expect(afterSleep(run, event(0, 50, 500))).toBe(100);
  expect(afterSleep({ ...run, activeSince: null }, event(0, 50))).toBeNull();
});
