/**
 * Goal: what a real Claude Code prints comes to the right end. Method: lines of 2.1.332, recorded
 * against the scripted model server.
 */
import { describe, expect, test } from 'vitest';
import { played, recorded } from '../../../test/support/played-talk.ts';
import type { Talk } from '../../ports/agent.ts';
import { jsonTalk } from '../drivers/json/talk.ts';
import { claudeSpeech } from './speech.ts';
import { claudeTranscript } from './transcript.ts';

const play = (name: string, mode = 'bypassPermissions', isResumed = false) =>
  played(
    jsonTalk(claudeTranscript(mode, isResumed, claudeSpeech('go'))),
    recorded(name, import.meta.url),
    {
      exit: 1,
      signal: null,
    },
  );

test('a turn with two tools: version, mode, session, tools, figures, the last answer', () => {
  const { of, end } = play('turn');
  expect(of('started')).toEqual([
    { kind: 'started', version: '2.1.332', model: 'claude-opus-5-5', mode: 'bypassPermissions' },
  ]);
  // Each message begins a line of its own.
  expect(of('text').map(({ text, isFirst }) => [text, isFirst])).toEqual(
    ['first', 'second', 'finished'].map((text) => [text, true]),
  );
  const [session] = of('session');
  expect(session?.id).toMatch(/^[0-9a-f-]{36}$/);
  expect(of('tool_started')).toEqual([
    { kind: 'tool_started', id: 'call_turn_0', name: 'Bash', timeoutMs: null, with: 'echo one' },
    {
      kind: 'tool_started',
      id: 'call_turn_1',
      name: 'Bash',
      timeoutMs: null,
      with: 'echo two; exit 3',
    },
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
  const { of } = played(jsonTalk(claudeTranscript('default', false, claudeSpeech('go'))), [line]);
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
  const talk = jsonTalk(claudeTranscript('default', false, claudeSpeech('go')));
  const [first, second] = played(talk, [...lines, ...again]).of('denied');
  expect(first?.digest).toBe(second?.digest);
});

test('a mode that was not set ends the turn at once', () => {
  const talk = jsonTalk(claudeTranscript('acceptEdits', false, claudeSpeech('go')));
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
    played(jsonTalk(claudeTranscript('default', false, claudeSpeech('go'))), [
      event(status),
      ...lines,
    ]).end;
  expect(end('rejected')).toMatchObject({ outcome: 'limit', until: 1_795_990_000_000 });
  expect(end('allowed_warning')).toMatchObject({ outcome: 'limit', until: null });
});

test('what waits in its queue belongs to the turn', () => {
  const result = { type: 'result', subtype: 'success', is_error: false, result: 'so far' };
  const lines = [
    { ...result, queued_turn_count: 1 },
    { ...result, result: 'all of it' },
  ];
  const talk = jsonTalk(claudeTranscript('default', false, claudeSpeech('go')));
  const { of, end } = played(
    talk,
    lines.map((line) => JSON.stringify(line)),
  );
  expect(of('turn_finished')).toHaveLength(1);
  expect(end).toMatchObject({ outcome: 'turn_ended', text: 'all of it' });
});

const written = (talk: Talk, lines: readonly string[]) =>
  lines.flatMap((line) => talk.line(line).write).map((line) => JSON.parse(line));

test('recorded: its question ends the turn with its text, and it is asked to stop there', () => {
  const lines = recorded('question', import.meta.url);
  const { of, end } = play('question');
  const text = 'Which colour?\n- green: g\n- blue: b';
  expect(of('question')).toEqual([{ kind: 'question', text }]);
  expect(of('turn_finished')).toEqual([{ kind: 'turn_finished', reason: 'question' }]);
  expect([of('denied'), of('error'), of('permission')]).toEqual([[], [], []]);
  expect(end).toMatchObject({ outcome: 'question', text, usage: { tokensIn: 1214 } });
  expect(end).toHaveProperty('sessionId', expect.stringMatching(/^[0-9a-f-]{36}$/));
  const talk = jsonTalk(claudeTranscript('bypassPermissions', false, claudeSpeech('go')));
  expect(written(talk, lines)).toMatchObject([
    {
      type: 'control_response',
      response: {
        subtype: 'success',
        response: { behavior: 'deny', interrupt: true },
      },
    },
  ]);
});

describe('what it asks for', () => {
  const request = (id: string, more: object) =>
    JSON.stringify({
      ...{ type: 'control_request', request_id: id },
      request: { subtype: 'can_use_tool', tool_name: 'Bash', input: { command: 'ls' }, ...more },
    });
  const begun = () => jsonTalk(claudeTranscript('default', false, claudeSpeech('go')));

  test('is a permission by its tool and its call, and is answered once', () => {
    const talk = begun();
    const { events } = talk.line(request('r1', { tool_use_id: 'call_1' }));
    expect(events).toEqual([
      {
        ...{ kind: 'permission', request: 'r1', tool: 'Bash', title: 'Bash: ls' },
        digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ]);
    const [answer = ''] = talk.decide('r1', 'allow').write;
    expect(JSON.parse(answer).response).toEqual({
      request_id: 'r1',
      subtype: 'success',
      response: { behavior: 'allow', updatedInput: { command: 'ls' } },
    });
    expect(talk.decide('r1', 'deny').write).toEqual([]);
    // It tells of it again at the end of its turn, which is no second refusal.
    const permission_denials = [{ tool_name: 'Bash', tool_use_id: 'call_1', tool_input: {} }];
    const { events: after } = talk.line(JSON.stringify({ type: 'result', permission_denials }));
    expect(after.map(({ kind }) => kind)).not.toContain('denied');
  });

  test('is not answered after it was withdrawn', () => {
    const talk = begun();
    talk.line(request('r1', {}));
    const back = JSON.stringify({ type: 'control_cancel_request', request_id: 'r1' });
    expect(talk.line(back).events).toEqual([{ kind: 'withdrawn', request: 'r1' }]);
    expect(talk.line(back).events).toEqual([]);
    expect(talk.decide('r1', 'allow').write).toEqual([]);
  });

  test('and nobody can give is said to be so: it would wait for ever', () => {
    const talk = begun();
    const [answer] = written(talk, [request('r1', { subtype: 'hook_callback' })]);
    expect(answer.response).toMatchObject({ request_id: 'r1', subtype: 'error' });
    expect(talk.line(JSON.stringify({ type: 'control_request' })).write).toEqual([]);
  });

  test('is denied beyond so many at once, and is bounded', () => {
    const talk = begun();
    const lines = Array.from({ length: 101 }, (_, n) => request(`r${n}`, {}));
    expect(written(talk, lines)).toMatchObject([
      { response: { request_id: 'r100', response: { behavior: 'deny' } } },
    ]);
  });
});

test('called off, it is asked to stop', () => {
  const talk = jsonTalk(claudeTranscript('default', false, claudeSpeech('go')));
  expect(talk.cancel().write.map((line) => JSON.parse(line))).toMatchObject([
    { type: 'control_request', request: { subtype: 'interrupt' } },
  ]);
});

test('a bound of steps cuts its turn short, which is no failure (RR-18)', () => {
  // As 2.1.332 prints it for `--max-turns 1`.
  const line = JSON.stringify({
    ...{ type: 'result', subtype: 'error_max_turns', is_error: true, stop_reason: 'tool_use' },
    ...{ terminal_reason: 'max_turns', errors: ['Reached maximum number of turns (1)'] },
  });
  const talk = jsonTalk(claudeTranscript('default', false, claudeSpeech('go')));
  expect(played(talk, [line]).end).toMatchObject({ outcome: 'turn_ended', cut: 'max_turns' });
  expect(play('turn').end).not.toHaveProperty('cut');
});
