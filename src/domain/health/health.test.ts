/** Goal: what has no work is named as that, and nothing else is (RR-33). */
import { expect, test } from 'vitest';
import {
  at,
  command,
  driver,
  execution,
  fire,
  prepared,
  runAfter,
  sealed,
  start,
} from '../../../test/support/run-fixtures.ts';
import type { ExecutionStatus } from '../execution/state.ts';
import { recoveryDefaults } from '../recovery/figures.ts';
import { initialRun } from '../run/evolve.ts';
import { type HealthRows, jobOf, noWorkOf } from './health.ts';

const { graceMs } = recoveryDefaults;
const working = runAfter(start(), sealed(1, prepared()));
const waiting = runAfter(
  start(),
  sealed(1, prepared()),
  command({ type: 'no_capacity', until: at(9), detail: '' }, 1, driver),
);
const cancelling = runAfter(
  start(),
  sealed(1, prepared()),
  command({ type: 'cancel', note: '', leased: true }, 1),
);
const paused = runAfter(
  start(),
  sealed(1, prepared()),
  command({ type: 'no_capacity', until: at(9), detail: '' }, 1, driver),
  command({ type: 'pause', now: false }, 2),
);
const rows = (
  status: ExecutionStatus | null,
  timers: HealthRows['timers'],
  more: { readonly readyMs?: number; readonly isQueued?: boolean } = {},
): HealthRows => ({
  execution: status === null ? null : { status, readyMs: more.readyMs ?? 0 },
  timers,
  isQueued: more.isQueued ?? false,
});

test('a job needs an execution that can end, and a deadline that ends it (RR-33)', () => {
  expect(jobOf(working)).toBe(execution(2));
  expect(noWorkOf(working, rows('RUNNING', ['attempt_time']))).toBeNull();
  expect(noWorkOf(working, rows('RUNNING', ['active_time']))).toBe('no_deadline');
  expect(noWorkOf(working, rows(null, ['attempt_time']))).toBe('no_execution');
  for (const status of ['SUCCEEDED', 'FAILED', 'CANCELLED', 'EXHAUSTED', 'UNKNOWN'] as const) {
    expect(noWorkOf(working, rows(status, ['attempt_time']))).toBe('no_execution');
  }
});

test('a job that is ready for long, and is not queued, is taken up by nobody (RR-33, RR-40)', () => {
  const ready = (readyMs: number, isQueued = false) =>
    noWorkOf(working, rows('DISPATCHED', ['attempt_time'], { readyMs, isQueued }));
  expect(ready(graceMs - 1)).toBeNull();
  expect(ready(graceMs)).toBe('unclaimed');
  expect(ready(graceMs, true)).toBeNull();
  const recovery = { ...working.terms.recovery, graceMs: 60_000 };
  const patient = { ...working, terms: { ...working.terms, recovery } };
  const rowsAt = (readyMs: number) => rows('DISPATCHED', ['attempt_time'], { readyMs });
  expect(noWorkOf(patient, rowsAt(59_999))).toBeNull();
  expect(noWorkOf(patient, rowsAt(60_000))).toBe('unclaimed');
  expect(noWorkOf(working, rows('RUNNING', ['attempt_time'], { readyMs: graceMs }))).toBeNull();
});

test('a wait and a cancel need their timer; who waits for a human or has ended needs none', () => {
  expect(jobOf(waiting)).toBeNull();
  expect(noWorkOf(waiting, rows(null, ['wait']))).toBeNull();
  expect(noWorkOf(waiting, rows(null, ['attempt_time']))).toBe('no_timer');
  expect(cancelling.status).toBe('cancelling');
  expect(noWorkOf(cancelling, rows('RUNNING', ['cancel_deadline']))).toBeNull();
  expect(noWorkOf(cancelling, rows('RUNNING', []))).toBe('no_timer');
  const ended = runAfter(
    start(),
    sealed(1, prepared()),
    command({ type: 'cancel', note: '', leased: true }, 1),
    fire('cancel_deadline', cancelling.counters.timers, 200_000),
  );
  expect(ended.status).toBe('cancelled');
  for (const run of [paused, ended, initialRun]) {
    expect(jobOf(run)).toBeNull();
    expect(noWorkOf(run, rows(null, []))).toBeNull();
  }
});
