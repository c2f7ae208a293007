/** Goal: what is not healthy has a reason and a time, and nothing that is healthy has (RR-13). */
import { expect, test } from 'vitest';
import {
  at,
  command,
  driver,
  prepared,
  runAfter,
  sealed,
  start,
} from '../../../test/support/run-fixtures.ts';
import type { Instant } from '../ids.ts';
import { recoveryDefaults } from '../recovery/figures.ts';
import type { LivingRun, RunState } from '../run/state.ts';
import { type Seen, standingOf } from './standing.ts';

const { graceMs } = recoveryDefaults;
const living = (run: RunState): LivingRun => {
  if (run.status === 'unborn') throw new Error('it was not started');
  return run;
};
const noPlace = command({ type: 'no_capacity', until: at(9), detail: '' }, 1, driver);
const working = living(runAfter(start(), sealed(1, prepared())));
const waiting = living(runAfter(start(), sealed(1, prepared()), noPlace));
const paused = living(
  runAfter(start(), sealed(1, prepared()), noPlace, command({ type: 'pause', now: false }, 2)),
);
const parked = living(
  runAfter(
    start(),
    sealed(1, prepared()),
    command({ type: 'park_internal_error', detail: 'x' }, 1, driver),
  ),
);
const seen = (more: Partial<Seen> = {}): Seen => ({
  rows: {
    execution: { status: 'RUNNING', readyMs: 0 },
    timers: ['attempt_time', 'wait'],
    isQueued: false,
  },
  updatedAt: 0 as Instant,
  now: 1_000 as Instant,
  told: { state: 'quiet', stalledMs: 0 },
  silentMs: 0,
  ttlMs: 30_000,
  ...more,
});

test('who advances, waits for a timer or is at a human gate is healthy (RR-13, RR-7)', () => {
  expect(standingOf(working, seen())).toEqual({ state: 'advancing' });
  expect(standingOf(working, seen({ told: null }))).toEqual({ state: 'advancing' });
  expect(standingOf(waiting, seen({ silentMs: 90_000 }))).toEqual({ state: 'waiting' });
  const nothing = seen({
    ...{ rows: { execution: null, timers: [], isQueued: false }, silentMs: 9e9 },
    told: { state: 'stalled', stalledMs: 9e9 },
  });
  expect(standingOf(paused, nothing)).toEqual({ state: 'at_gate' });
  expect(standingOf(parked, nothing)).toEqual({ state: 'at_gate' });
});

test('who does not is stuck, by what, for how long, and beyond its grace or not (RR-13, RR-33)', () => {
  const stuck = (more: Partial<Seen>) => standingOf(working, seen(more));
  const by = (reason: string, forMs: number, isPastGrace: boolean) => ({
    ...{ state: 'stuck', by: reason, forMs, isPastGrace },
  });
  const told = { state: 'stalled', stalledMs: 45_000 };
  expect(stuck({ told })).toEqual(by('stalled', 45_000, false));
  expect(stuck({ silentMs: 30_000, told })).toEqual(by('silent', 30_000, false));
  expect(stuck({ silentMs: graceMs })).toEqual(by('silent', graceMs, true));
  const rows = { execution: null, timers: [], isQueued: false };
  const now = graceMs as Instant;
  expect(stuck({ rows, now })).toEqual(by('no_execution', graceMs, true));
  expect(stuck({ rows, updatedAt: 5 as Instant, now })).toEqual(
    by('no_execution', graceMs - 5, false),
  );
  const ready = { status: 'DISPATCHED', readyMs: graceMs } as const;
  expect(stuck({ rows: { ...rows, execution: ready, timers: ['attempt_time'] } })).toEqual(
    by('unclaimed', graceMs, true),
  );
});
