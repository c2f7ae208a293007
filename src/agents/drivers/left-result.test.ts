import { expect, test } from 'vitest';
import type { TurnEnd } from '../../ports/agent.ts';
import { withLeft } from './left-result.ts';

const usage = { costUsd: 1, source: 'self-reported', tokensIn: 1, tokensOut: 2 } as const;
const ended: TurnEnd = {
  ...{ outcome: 'turn_ended', text: 'said', until: null, sessionId: 's' },
  usage: { ...usage, cacheRead: 0, cacheWrite: 0 },
};
const died: TurnEnd = { outcome: 'lane_died', detail: 'gone', usage: null };
const asks = JSON.stringify({ outcome: 'question', text: 'Which?' });

test('a question in the result file stands over the end of a turn, and keeps its session (L-O9)', () => {
  expect(withLeft(ended, asks, 's')).toEqual({ ...ended, outcome: 'question', text: 'Which?' });
  // Ended by us while it waited for nothing.
  expect(withLeft(died, asks, 's')).toEqual({
    ...{ outcome: 'question', text: 'Which?', until: null, usage: null, sessionId: 's' },
  });
  const blocked = withLeft(ended, '{"outcome":"blocked","text":"no net"}', 's');
  expect(blocked).toMatchObject({ outcome: 'blocked', text: 'no net' });
});

test('what its protocol has a word for is told by that alone (L-E3)', () => {
  for (const outcome of ['done', 'limit']) {
    expect(withLeft(ended, JSON.stringify({ outcome, until: 5 }), 's')).toBe(ended);
  }
  const limit: TurnEnd = { ...ended, outcome: 'limit', until: 7 };
  expect(withLeft(limit, asks, 's')).toBe(limit);
  expect(withLeft(ended, null, 's')).toBe(ended);
});

test('what is no result is never a guess, and no reason for a death', () => {
  const end = withLeft(ended, '{"outcome":"asks"}', 's');
  expect(end).toMatchObject({ outcome: 'invalid_result', text: expect.stringMatching(/outcome/) });
  expect(withLeft(died, '{', 's')).toBe(died);
});
