/**
 * Goal: what a real Claude Code prints comes to the right end. Method: lines of 2.1.332, recorded
 * against the scripted model server.
 */
import { expect, test } from 'vitest';
import { played, recorded } from '../../../test/support/played-talk.ts';
import { jsonTalk } from '../drivers/json/talk.ts';
import { claudeTranscript } from './transcript.ts';

const play = (name: string, mode = 'bypassPermissions', isResumed = false) =>
  played(jsonTalk(claudeTranscript(mode, isResumed)), recorded(name, import.meta.url), {
    exit: 1,
    signal: null,
  });

test('a turn with two tools: version, mode, session, tools, figures, the last answer', () => {
  const { of, end } = play('turn');
  expect(of('started')).toEqual([
    { kind: 'started', version: '2.1.332', model: 'claude-opus-5-5', mode: 'bypassPermissions' },
  ]);
  const [session] = of('session');
  expect(session?.id).toMatch(/^[0-9a-f-]{36}$/);
  expect(of('tool_started')).toEqual([
    { kind: 'tool_started', id: 'call_turn_0', name: 'Bash', timeoutMs: null },
    { kind: 'tool_started', id: 'call_turn_1', name: 'Bash', timeoutMs: null },
  ]);
  expect(of('tool_finished').map(({ id, status }) => [id, status])).toEqual([
    ['call_turn_0', 'completed'],
    ['call_turn_1', 'failed'],
  ]);
  // Bits of the text, and not the whole of it a second time.
  expect(of('text').map(({ text }) => text)).toEqual(['first', 'second', 'finished']);
  expect(of('usage').map(({ usage }) => usage.tokensOut)).toEqual([56, 112, 168, 168]);
  expect(of('turn_finished')).toHaveLength(1);
  expect(of('error')).toEqual([]);
  expect(end).toEqual({
    outcome: 'turn_ended',
    text: 'finished',
    until: null,
    sessionId: session?.id,
    usage: {
      ...{ source: 'self-reported', tokensIn: 3642, tokensOut: 168 },
      ...{ cacheRead: 60, cacheWrite: 0, costUsd: expect.closeTo(0.01794, 6) },
    },
  });
});

test('of a conversation that was taken up only this turn is counted', () => {
  const { end } = play('resumed', 'bypassPermissions', true);
  // It tells 0.01196 and 2428 tokens, which are those of both turns.
  expect(end.usage).toMatchObject({ costUsd: 0.00598, tokensIn: 1214, tokensOut: 56 });
});

test.each([
  ['limit', { outcome: 'limit', until: null }],
  ['unauthorized', { outcome: 'failed', class: 'auth_required' }],
  ['not-logged-in', { outcome: 'failed', class: 'auth_required' }],
  ['server-error', { outcome: 'failed', class: 'transport_lost' }],
  ['malformed', { outcome: 'failed', class: 'transport_lost' }],
  ['dropped', { outcome: 'failed', class: 'transport_lost' }],
  ['prompt-too-long', { outcome: 'failed', class: 'context_overflow' }],
  ['refused', { outcome: 'failed', class: 'human_blocker' }],
])('a turn that failed is classed by its own names: %s (L-E3)', (name, end) => {
  expect(play(name).end).toMatchObject(end);
});

test('a retry says why, and is no end', () => {
  const { of } = play('server-error');
  expect(of('error')[0]?.detail).toBe(
    'a call of the model failed and is tried again, 1 of 1: server_error (500)',
  );
  expect(of('turn_finished')).toHaveLength(1);
});

test('a conversation that is gone is begun anew', () => {
  const lost = { outcome: 'failed', class: 'context_overflow' };
  expect(play('lost-session', 'default', true).end).toMatchObject(lost);
  expect(play('lost-session', 'default', false).end).toMatchObject({ class: 'lane_died' });
});

test('a time of a tool is one of its shell, in milliseconds; less is a number of another kind', () => {
  const use = (id: string, timeout: unknown) => ({
    ...{ type: 'tool_use', id, name: 'x', input: { timeout } },
  });
  const content = [use('a', 120_000), use('b', 30), use('c', '5m'), use('d'.repeat(500), null)];
  const line = JSON.stringify({ type: 'assistant', message: { content } });
  const { of } = played(jsonTalk(claudeTranscript('default', false)), [line]);
  const told = of('tool_started');
  expect(told.map(({ timeoutMs }) => timeoutMs)).toEqual([120_000, null, null, null]);
  expect(told.at(-1)?.id).toHaveLength(200);
});

test('a refusal by its own rules is told once, though it tells it twice', () => {
  const { of, end } = play('denied', 'default');
  expect(of('denied')).toHaveLength(1);
  expect(of('denied')[0]).toMatchObject({
    title: expect.stringMatching(/^Write: Claude requested/),
  });
  expect(end.outcome).toBe('turn_ended');
});

test('the same call has the same digest in whichever turn it is refused', () => {
  const lines = recorded('denied', import.meta.url);
  const again = lines.map((line) => line.replaceAll('call_turn_0', 'call_turn_9'));
  const talk = jsonTalk(claudeTranscript('default', false));
  const [first, second] = played(talk, [...lines, ...again]).of('denied');
  expect(first?.digest).toBe(second?.digest);
});

test('a mode that was not set ends the turn at once', () => {
  const talk = jsonTalk(claudeTranscript('acceptEdits', false));
  const { of, end } = played(talk, recorded('turn', import.meta.url).slice(0, 2));
  expect(talk.isCalledOff?.()).toBe(true);
  expect(of('turn_finished')).toEqual([{ kind: 'turn_finished', reason: 'refused' }]);
  expect(end).toMatchObject({
    outcome: 'failed',
    class: 'dispatch_failed',
    detail:
      'the agent was set to the permission mode "acceptEdits" and runs in "bypassPermissions"',
  });
});

test('a limit is over when its own event says so', () => {
  const event = (status: string) =>
    JSON.stringify({
      type: 'rate_limit_event',
      rate_limit_info: { status, resetsAt: 1_795_990_000 },
    });
  const lines = recorded('limit', import.meta.url);
  const end = (status: string) =>
    played(jsonTalk(claudeTranscript('default', false)), [event(status), ...lines]).end;
  expect(end('rejected')).toMatchObject({ outcome: 'limit', until: 1_795_990_000_000 });
  expect(end('allowed_warning')).toMatchObject({ outcome: 'limit', until: null });
});

test('what waits in its queue belongs to the turn', () => {
  const result = { type: 'result', subtype: 'success', is_error: false, result: 'so far' };
  const lines = [
    { ...result, queued_turn_count: 1 },
    { ...result, result: 'all of it' },
  ];
  const talk = jsonTalk(claudeTranscript('default', false));
  const { of, end } = played(
    talk,
    lines.map((line) => JSON.stringify(line)),
  );
  expect(of('turn_finished')).toHaveLength(1);
  expect(end).toMatchObject({ outcome: 'turn_ended', text: 'all of it' });
});
