/**
 * Goal: what a real pi prints comes to the right end. Method: lines of 0.73.1, recorded against the
 * scripted model server; of the bits of messages only some are kept.
 */
import { expect, test } from 'vitest';
import { played, recorded } from '../../../test/support/played-talk.ts';
import { jsonTalk } from '../drivers/json/talk.ts';
import { failureOf } from './failure.ts';
import { piTranscript } from './transcript.ts';

const lines = (name: string) => recorded(name, import.meta.url);
const play = (told: readonly string[], exit: number | null = 0) =>
  played(jsonTalk(piTranscript), told, { exit, signal: null });

test('a turn with a command that fails: session, tool, figures, the last answer', () => {
  const { of, end } = play(lines('turn'));
  const sessionId = '01a229ea-2c88-7489-a323-b47edfb3291e';
  expect(of('session')).toEqual([{ kind: 'session', id: sessionId }]);
  expect(of('tool_started')).toMatchObject([{ name: 'bash', timeoutMs: null }]);
  expect(of('tool_finished')).toMatchObject([{ status: 'failed' }]);
  expect(of('error')).toEqual([]);
  expect(end).toMatchObject({
    ...{ outcome: 'turn_ended', text: 'done', sessionId },
    usage: { tokensIn: 2428, tokensOut: 112, cacheRead: 40, cacheWrite: 0 },
  });
  expect(end.usage?.costUsd).toBeCloseTo(0.00416, 5);
});

test.each([
  ['unauthorized', { outcome: 'failed', class: 'auth_required' }],
  ['limit', { outcome: 'limit', until: null }],
  ['context-overflow', { outcome: 'failed', class: 'context_overflow' }],
  ['server-error', { outcome: 'failed', class: 'transport_lost' }],
  ['dropped', { outcome: 'failed', class: 'transport_lost' }],
  ['error-event', { outcome: 'failed', class: 'transport_lost' }],
  // It takes an answer that breaks off for a whole one; only a models door sees that.
  ['truncated', { outcome: 'turn_ended' }],
] as const)('recorded: %s, whatever its exit says (L-E3, L-E11)', (name, end) => {
  expect(play(lines(name)).end).toMatchObject(end);
});

test('while it may try again nothing is over, and what comes of that stands', () => {
  const failed = lines('server-error');
  const retry = failed.findIndex((line) => line.includes('auto_retry_start'));
  const { events, end } = play(failed.slice(0, retry + 1), null);
  expect(events.filter(({ kind }) => kind === 'turn_finished')).toEqual([]);
  expect(end.outcome).toBe('lane_died');
  const answered = lines('turn').filter((line) => !line.includes('"session"'));
  expect(play([...failed.slice(0, retry + 1), ...answered]).end).toMatchObject({
    ...{ outcome: 'turn_ended', text: 'done' },
  });
});

test('a command may say how long it takes, in seconds', () => {
  const line = { type: 'tool_execution_start', toolCallId: 'a', toolName: 'bash' };
  const { of } = play([JSON.stringify({ ...line, args: { command: 'x', timeout: 30 } })]);
  expect(of('tool_started')).toMatchObject([{ timeoutMs: 30_000 }]);
});

test.each([
  ['{"error":{"code":429,"status":"RESOURCE_EXHAUSTED"}}', 'rate_limited'],
  ['{"type":"error","error":{"type":"overloaded_error"}}', 'transport_lost'],
  ['Provider finish_reason: content_filter', 'human_blocker'],
  ['400 Bad thing', 'dispatch_failed'],
  ['the model said 401', 'lane_died'],
  ['', 'lane_died'],
] as const)(
  '%s is %s: a status, a name or a fixed beginning, never prose (L-E3)',
  (said, found) => {
    const failure = failureOf(said);
    expect(failure.how === 'limit' ? 'rate_limited' : failure.class).toBe(found);
  },
);
