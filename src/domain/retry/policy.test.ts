/**
 * Goal: what follows each class of failure is what the table of DESIGN §4.2 says, and it spends
 * what that says and nothing else (XP-22, XP-23).
 * Method: one line for each class, written from the design; each is met by a lane at work.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  afterWith,
  executed,
  execution,
  failed,
  fire,
  jobEnded,
  led,
  runAfter,
  sealed,
  terms,
  working,
} from '../../../test/support/run-fixtures.ts';
import type { FailureClass } from '../execution/state.ts';
import type { RunCommand } from '../run/message.ts';
import { follows } from './classes.ts';

type Fails = (n: number, failure: FailureClass, ms?: number, fraction?: number) => RunCommand;
/** An outcome that nobody knows is never told by a seal. */
const fails: Fails = (n, failure, ms = 0, fraction = 1) =>
  failure === 'unknown_outcome'
    ? jobEnded(n, { how: 'unknown', detail: 'lost' }, ms, fraction)
    : jobEnded(n, { how: 'sealed', result: failed(failure) }, ms, fraction);

const again = { status: 'active', stage: { phase: 'executing' }, attempt: 1 } as const;
const waits = (reason: string) =>
  ({ status: 'active', stage: { phase: 'waiting', reason }, attempt: 1 }) as const;
const parked = (reason: string) => ({ status: 'needs_operator', reason }) as const;
const spends = (more: object = {}) => ({
  ...{ attempts: 0, requeues: 0, transfers: 0, timeouts: 0, contextOverflows: 0 },
  ...more,
});

const table: Readonly<Record<FailureClass, readonly [next: object, spent: object]>> = {
  transport_lost: [waits('backoff'), spends({ transfers: 1 })],
  lane_died: [again, spends({ requeues: 1 })],
  window_exhausted: [again, spends({ requeues: 1, timeouts: 1 })],
  rate_limited: [waits('rate_limited'), spends()],
  context_overflow: [again, spends({ contextOverflows: 1 })],
  auth_required: [parked('auth_required'), spends()],
  human_blocker: [parked('blocked_by_question'), spends()],
  invalid_result: [{ ...again, attempt: 2 }, spends({ attempts: 1 })],
  unknown_outcome: [parked('unknown_outcome'), spends()],
  dispatch_failed: [parked('dispatch_failed'), spends()],
  setup_failed: [parked('setup_failed'), spends()],
  workspace_lost: [parked('workspace_lost'), spends()],
  budget_exhausted: [parked('wall'), spends()],
  disk_full: [waits('backoff'), spends()],
  source_unavailable: [again, spends({ transfers: 1 })],
};
const classes = Object.keys(table) as readonly FailureClass[];

test('the table has every class, and so has the policy', () => {
  expect(new Set(classes)).toEqual(new Set(Object.keys(follows)));
});

test.each(classes)('%s (XP-22)', (failure) => {
  const [next, counters] = table[failure];
  const run = runAfter(...working(), fails(2, failure));
  expect(run).toMatchObject({ ...next, counters });
  const events = led(...working(), fails(2, failure));
  const dispatched = events.filter(({ type }) => type === 'job.dispatched');
  // A retry is a new execution under the same run; what failed is never begun again (XP-23, XP-38).
  for (const event of dispatched) expect(event).toMatchObject({ execution: execution(3) });
  const isAtWork = run.status === 'active' && run.stage.phase === 'executing';
  expect(dispatched).toHaveLength(isAtWork ? 1 : 0);
});

/** Of a class that leads to a new execution: how many there may be in all. */
const caps: readonly (readonly [FailureClass, number, string])[] = [
  ['lane_died', 3, 'recovery_exhausted'],
  ['window_exhausted', 3, 'recovery_exhausted'],
  ['transport_lost', 4, 'recovery_exhausted'],
  ['context_overflow', 2, 'context_overflow'],
  ['invalid_result', 2, 'convergence_signals'],
  ['source_unavailable', 2, 'dispatch_failed'],
];

describe('a cap is asked before the dispatch, never after it', () => {
  test.each(caps)('%s: %i executions, then %s', (failure, most, reason) => {
    const commands = [...working()];
    let count = 1;
    for (; count < 20; count += 1) {
      commands.push(fails(count + 1, failure));
      const run = runAfter(...commands);
      if (run.status !== 'active') break;
      if (run.stage.phase !== 'waiting') continue;
      commands.push(fire('wait', run.stage.generation, run.stage.until));
    }
    expect(count).toBe(most);
    expect(afterWith('needs_operator', ...commands).reason).toBe(reason);
    expect(led(...commands).some(({ type }) => type === 'job.dispatched')).toBe(false);
  });
  test.each(['lane_died', 'transport_lost', 'window_exhausted', 'context_overflow'] as const)(
    '%s after the active time was spent: no new execution (XP-22)',
    (failure) => {
      const late = fails(2, failure, (terms.brakes.timeMs ?? 0) + 1);
      expect(runAfter(...working(), late)).toMatchObject(parked('wall'));
      expect(led(...working(), late).some(({ type }) => type === 'job.dispatched')).toBe(false);
    },
  );
});

describe('the waits', () => {
  /** From the failure to the stored timer. */
  const waitMs = (commands: readonly RunCommand[], ms: number): number => {
    const run = afterWith('active', ...commands);
    return run.stage.phase === 'waiting' ? run.stage.until - ms : Number.NaN;
  };
  test('of a back-off are spread over the whole of it: full jitter, by the fraction that came in', () => {
    const of = (fraction: number) => waitMs([...working(), fails(2, 'disk_full', 0, fraction)], 0);
    expect([0, 0.5, 1].map(of)).toEqual([500, 2_500, 5_000]);
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (fraction) => {
        expect(of(fraction)).toBe(Math.max(500, Math.round(5_000 * fraction)));
      }),
    );
  });
  test('of a limit are as long as the agent said, and not shorter than a minute', () => {
    const until = (ms: number) =>
      waitMs([...working(), sealed(2, executed({ outcome: 'limit', limitUntil: ms as never }))], 0);
    expect([until(1), until(600_000)]).toEqual([60_000, 600_000]);
  });
});
