import { expect, test } from 'vitest';
import type { TurnEnd } from '../ports/agent.ts';
import { explainedEnd } from './door-outcome.ts';

const told = { usage: null, sessionId: 's' };
const ended: TurnEnd = { outcome: 'turn_ended', text: 'half', until: null, ...told };
const died: TurnEnd = { outcome: 'lane_died', detail: 'it exited with 1', usage: null };
const failed = (found: 'lane_died' | 'dispatch_failed' | 'auth_required'): TurnEnd => ({
  ...{ outcome: 'failed', class: found, detail: 'it says so', ...told },
});

test.each([
  ['an end that is none', ended, 'transport_lost'],
  ['a failure without a name', failed('lane_died'), 'transport_lost'],
  ['a lane that is gone', died, 'transport_lost'],
  // The agent knows better.
  ['a failure with a name', failed('auth_required'), 'auth_required'],
  ['a bad request', failed('dispatch_failed'), 'dispatch_failed'],
] as const)('after a lost answer: %s (L-E3, L-E11)', (_what, end, found) => {
  expect(explainedEnd(end, 'lost')).toMatchObject({ outcome: 'failed', class: found });
});

test.each([ended, died, failed('lane_died'), failed('dispatch_failed')])(
  'after a context that was too long: $outcome (L-E3)',
  (end) => {
    const explained = explainedEnd(end, 'context');
    expect(explained).toMatchObject({ outcome: 'failed', class: 'context_overflow' });
    expect('sessionId' in explained && explained.sessionId).toBe('sessionId' in end ? 's' : null);
  },
);

test('what the agent said stays beside it; without trouble, or for another end, all stays', () => {
  const explained = explainedEnd(failed('lane_died'), 'lost');
  expect('detail' in explained && explained.detail).toBe(
    "the model service's last answer was lost or broke off; the agent: it says so",
  );
  expect(explainedEnd(ended, null)).toBe(ended);
  const limit: TurnEnd = { outcome: 'limit', text: null, until: 5, ...told };
  expect(explainedEnd(limit, 'lost')).toBe(limit);
});
