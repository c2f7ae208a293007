import { expect, test } from 'vitest';
import { acpAgent, session } from '../../../../test/support/acp-rig.ts';
import type { ProgramExit } from '../../../ports/agent.ts';
import { plainProfile } from './profile.ts';

const gone: ProgramExit = { exit: null, signal: null };
const mode = { kind: 'mode', value: 'strict' } as const;

test('offers no file system and no terminal, opens a session, prompts (RR-19, L-J4)', () => {
  const server = { name: 'tools', command: 'node', args: ['t.mjs'], env: { KEY: 'v' } };
  const agent = acpAgent({ prompt: 'x'.repeat(300_000), servers: [server] });
  agent.opens();
  expect(agent.heard.map(({ method, params }) => [method, params])).toEqual([
    [
      'initialize',
      {
        protocolVersion: 1,
        clientInfo: { name: 'pawl', version: '1' },
        clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      },
    ],
    [
      'session/new',
      {
        cwd: '/tree',
        mcpServers: [
          { name: 'tools', command: 'node', args: ['t.mjs'], env: [{ name: 'KEY', value: 'v' }] },
        ],
      },
    ],
    [
      'session/prompt',
      { sessionId: session, prompt: [{ type: 'text', text: 'x'.repeat(300_000) }] },
    ],
  ]);
  expect(agent.events.map(({ kind }) => kind)).toEqual(['session', 'started', 'delivery']);
});

test('the answer to the prompt ends the turn, with the last message as its text', () => {
  const agent = acpAgent();
  agent.opens();
  agent.updates({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'first' } });
  agent.updates({ sessionUpdate: 'tool_call', toolCallId: 'a', title: 'ls', kind: 'execute' });
  agent.updates({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'do' } });
  agent.updates({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'ne' } });
  agent.answers({ stopReason: 'end_turn' });
  expect(agent.events.slice(-2)).toEqual([
    { kind: 'tool_finished', id: 'a', status: 'unknown' },
    { kind: 'turn_finished', reason: 'end_turn' },
  ]);
  expect(agent.talk.end(gone, null)).toEqual({
    ...{ outcome: 'turn_ended', text: 'done', until: null, usage: null, sessionId: session },
  });
});

test('where messages have names, what begins one is told as that, and the last is the answer', () => {
  const agent = acpAgent();
  agent.opens();
  const says = (messageId: string, text: string) =>
    agent.updates({
      ...{ sessionUpdate: 'agent_message_chunk', messageId, content: { type: 'text', text } },
    });
  says('1', 'I lo');
  says('1', 'ok.');
  says('2', 'Done.');
  const texts = agent.events.filter(({ kind }) => kind === 'text');
  expect(texts).toEqual([
    { kind: 'text', text: 'I lo', isFirst: true },
    { kind: 'text', text: 'ok.' },
    { kind: 'text', text: 'Done.', isFirst: true },
  ]);
  agent.answers({ stopReason: 'end_turn' });
  expect(agent.talk.end(gone, null)).toMatchObject({ text: 'Done.' });
});

test.each(['refusal', 'max_tokens', 'cancelled', undefined])(
  'the stop reason %s is no verdict: the turn ended (L-E3)',
  (stopReason) => {
    const agent = acpAgent();
    agent.opens();
    agent.answers({ stopReason });
    expect(agent.talk.end(gone, null)).toMatchObject({ outcome: 'turn_ended', text: null });
  },
);

test('what was asked besides is told that there is no such method', () => {
  const agent = acpAgent();
  agent.opens();
  agent.prints({ jsonrpc: '2.0', id: 'q', method: 'fs/write_text_file', params: { path: '/x' } });
  expect(agent.heard.at(-1)).toMatchObject({ id: 'q', error: { code: -32601 } });
});

test('garbage ends nothing: three lines are told of, the rest is counted alone (L-I2)', () => {
  const agent = acpAgent();
  for (const line of ['Warning: x', '{"jsonrpc":', '[]', '{}', 'null', '', '  '])
    agent.prints(line);
  agent.opens();
  agent.updates({ sessionUpdate: 'brand_new', x: 1 });
  agent.updates({ sessionUpdate: 'agent_message_chunk', content: { type: 'image' } });
  agent.prints({ jsonrpc: '2.0', method: '_auth/status_update', params: [] });
  agent.prints({ jsonrpc: '2.0', id: 99, result: {} });
  agent.answers({ stopReason: 'end_turn' });
  expect(agent.events.filter(({ kind }) => kind === 'error')).toHaveLength(3);
  expect(agent.talk.end(gone, null)).toMatchObject({ outcome: 'turn_ended' });
});

test('updates of another session are not of this turn', () => {
  const agent = acpAgent();
  agent.opens();
  const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'no' } };
  agent.prints({ method: 'session/update', params: { sessionId: 'other', update } });
  agent.answers({ stopReason: 'end_turn' });
  expect(agent.talk.end(gone, null)).toMatchObject({ text: null });
});

test('an agent of another version of the protocol is not spoken with', () => {
  const agent = acpAgent();
  agent.answers({ protocolVersion: 2 });
  expect(agent.events.at(-1)).toMatchObject({ kind: 'turn_finished' });
  expect(agent.talk.end(gone, null)).toMatchObject({
    outcome: 'failed',
    class: 'dispatch_failed',
    detail: 'it speaks version 2 of ACP, and not 1',
  });
});

test('an agent that is not logged in says so before there is a session', () => {
  const agent = acpAgent({ profile: { ...plainProfile, authenticate: 'key' } });
  agent.answers({ protocolVersion: 1 });
  expect(agent.heard.at(-1)).toMatchObject({
    method: 'authenticate',
    params: { methodId: 'key' },
  });
  agent.answers(null);
  expect(agent.asked().at(-1)).toBe('session/new');
  agent.fails({ code: -32000, message: 'Authentication required' });
  expect(agent.talk.end(gone, null)).toMatchObject({ outcome: 'failed', class: 'auth_required' });
});

test('its mode is set although it reads so already, and is told', () => {
  const agent = acpAgent({ settings: [mode] });
  agent.opens({ modes: { currentModeId: 'strict' }, models: { currentModelId: 'm-1' } });
  expect(agent.heard.at(-1)).toMatchObject({
    method: 'session/set_mode',
    params: { sessionId: session, modeId: 'strict' },
  });
  agent.answers({});
  expect(agent.asked().at(-1)).toBe('session/prompt');
  expect(agent.events.slice(-2)).toEqual([
    { kind: 'started', version: null, model: 'm-1', mode: 'strict' },
    { kind: 'delivery', state: 'sent' },
  ]);
});

test('an option that reads otherwise than it was set is a failed turn, and no prompt is sent', () => {
  const agent = acpAgent({ settings: [{ kind: 'option', id: 'mode', value: 'build' }] });
  agent.opens({ configOptions: [{ id: 'mode', currentValue: 'plan' }] });
  agent.answers({ configOptions: [{ id: 'mode', currentValue: 'plan' }] });
  expect(agent.asked()).not.toContain('session/prompt');
  expect(agent.talk.end(gone, null)).toMatchObject({
    outcome: 'failed',
    class: 'dispatch_failed',
    detail: 'its option mode was set to build and reads plan',
  });
});

test('a mode that it tells before it answers stands over the answer, which names none', () => {
  const other = { sessionUpdate: 'current_mode_update', currentModeId: 'free' };
  const agent = acpAgent({ settings: [mode] });
  agent.opens({ modes: { currentModeId: 'strict' } });
  let rounds = 0;
  while (agent.asked().at(-1) === 'session/set_mode' && rounds < 1_000) {
    agent.updates(other);
    agent.answers({});
    rounds += 1;
  }
  expect(agent.asked()).not.toContain('session/prompt');
  expect(agent.talk.end(gone, null)).toMatchObject({
    class: 'dispatch_failed',
    detail: 'its permission mode was set to strict and reads free',
  });
  // It was the one from before.
  const late = acpAgent({ settings: [mode] });
  late.opens();
  late.updates(other);
  late.answers({});
  late.answers({});
  expect(late.asked().at(-1)).toBe('session/prompt');
});

test('a mode that it will not take is a failed turn', () => {
  const agent = acpAgent({ settings: [mode] });
  agent.opens();
  agent.fails({ code: -32602, message: 'no such mode' });
  expect(agent.talk.end(gone, null)).toMatchObject({ class: 'dispatch_failed' });
});

test('an agent that leaves its mode in the middle of the turn is called off', () => {
  const agent = acpAgent({ settings: [mode] });
  agent.opens();
  agent.answers({});
  agent.updates({ sessionUpdate: 'current_mode_update', currentModeId: 'yolo' });
  expect(agent.heard.at(-1)).toMatchObject({ method: 'session/cancel' });
  expect(agent.talk.isCalledOff?.()).toBe(true);
  expect(agent.talk.end(gone, null)).toMatchObject({
    class: 'dispatch_failed',
    detail: 'its permission mode was set to strict and reads yolo',
  });
});

test('a turn that is called off answers all that waits, once', () => {
  const agent = acpAgent();
  agent.opens();
  const options = [{ optionId: 'y', kind: 'allow_once' }];
  const params = { sessionId: session, toolCall: { toolCallId: 'a', title: 'ls' }, options };
  agent.prints({ id: 7, method: 'session/request_permission', params });
  const before = agent.heard.length;
  agent.takes(agent.talk.cancel());
  agent.takes(agent.talk.cancel());
  agent.takes(agent.talk.decide('7', 'allow'));
  expect(agent.heard.slice(before)).toMatchObject([
    { method: 'session/cancel', params: { sessionId: session } },
    { id: 7, result: { outcome: { outcome: 'cancelled' } } },
  ]);
  agent.prints({ id: 8, method: 'session/request_permission', params });
  expect(agent.heard.at(-1)).toMatchObject({
    id: 8,
    result: { outcome: { outcome: 'cancelled' } },
  });
});

test('one that dies with a request open died, whatever it said (L-O3)', () => {
  const agent = acpAgent();
  agent.opens();
  const toolCall = { toolCallId: 'a' };
  agent.prints({ id: 1, method: 'session/request_permission', params: { toolCall } });
  expect(agent.talk.end({ exit: null, signal: 'SIGKILL' }, null)).toMatchObject({
    outcome: 'lane_died',
    detail: 'the agent was killed by SIGKILL before it had answered prompt',
  });
});

test('an exit that has a meaning of its own is a class; any other is a death', () => {
  const profile = { ...plainProfile, exits: { 41: 'auth_required' as const } };
  const end = (exit: number) => acpAgent({ profile }).talk.end({ exit, signal: null }, null);
  expect(end(41)).toMatchObject({ outcome: 'failed', class: 'auth_required' });
  expect(end(0)).toMatchObject({
    outcome: 'lane_died',
    detail: 'the agent exited with 0 before it had answered initialize',
  });
});

test('end_turn after a failure is a failure, where the profile knows its form (acp.md §5.2)', () => {
  const silentFailure = ({ text, usage }: { text: string; usage: unknown }) =>
    usage === null && text === 'Error: 429'
      ? ({ how: 'limit', until: null, detail: text } as const)
      : null;
  const agent = acpAgent({ profile: { ...plainProfile, silentFailure } });
  agent.opens();
  const content = { type: 'text', text: 'Error: 429' };
  agent.updates({ sessionUpdate: 'agent_message_chunk', content });
  agent.answers({ stopReason: 'end_turn' });
  expect(agent.talk.end(gone, null)).toMatchObject({ outcome: 'limit', until: null });
  // One that we called off has not failed, whatever it said before.
  const called = acpAgent({ profile: { ...plainProfile, silentFailure } });
  called.opens();
  called.updates({ sessionUpdate: 'agent_message_chunk', content });
  called.takes(called.talk.cancel());
  called.answers({ stopReason: 'cancelled' });
  expect(called.talk.end(gone, null)).toMatchObject({ outcome: 'turn_ended' });
});

test.each([
  [{ code: -32603, message: 'x', data: { errorKind: 'rate_limit' } }, 'limit', undefined],
  [{ code: 429, message: 'x' }, 'limit', undefined],
  [{ code: 401, message: 'x' }, 'failed', 'auth_required'],
  [{ code: -32000, message: 'x' }, 'failed', 'auth_required'],
  [{ code: -32603, message: 'x', data: { statusCode: 403 } }, 'failed', 'auth_required'],
  [{ code: 500, message: 'x' }, 'failed', 'transport_lost'],
  [{ code: -32603, message: 'x', data: { errorKind: 'server_error' } }, 'failed', 'transport_lost'],
  [
    { code: -32603, message: 'x', data: { errorName: 'ContextOverflowError' } },
    'failed',
    'context_overflow',
  ],
  [{ code: -32603, message: '429 Too Many Requests' }, 'failed', 'lane_died'],
  [{ code: -32603, message: 'x', data: { errorKind: 'constructor' } }, 'failed', 'lane_died'],
  [{ message: 4 }, 'failed', 'lane_died'],
])('the error %j is read by its structure alone (L-E3)', (error, outcome, failure) => {
  const agent = acpAgent();
  agent.opens();
  agent.fails(error);
  const end = agent.talk.end(gone, null);
  expect(end).toMatchObject({ outcome, sessionId: session });
  expect('class' in end ? end.class : undefined).toBe(failure);
});

test.each(['initialize', 'session/load', 'session/set_mode', 'session/prompt'])(
  'a limit that is met at %s and says when it ends is waited for until then',
  (method) => {
    const agent = acpAgent({ settings: [mode], sessionId: session });
    const agentCapabilities = { loadSession: true };
    const answers = [{ protocolVersion: 1, agentCapabilities }, {}, {}];
    for (const answer of answers) if (agent.asked().at(-1) !== method) agent.answers(answer);
    expect(agent.asked().at(-1)).toBe(method);
    const data = { errorKind: 'rate_limit', resetsAt: 1_800_000_000 };
    agent.fails({ code: -32603, message: 'slow down', data });
    const until = 1_800_000_000_000;
    expect(agent.talk.end(gone, null)).toMatchObject({ outcome: 'limit', until });
  },
);

test('a bound of the agent’s own cuts its turn short, unless it was called off (RR-18)', () => {
  const cutOf = (stopReason: string, isCancelled = false) => {
    const agent = acpAgent();
    agent.opens();
    if (isCancelled) agent.takes(agent.talk.cancel());
    agent.answers({ stopReason }, 'session/prompt');
    const end = agent.talk.end(gone, null);
    return 'cut' in end ? end.cut : undefined;
  };
  expect(cutOf('max_tokens')).toBe('max_tokens');
  expect(cutOf('max_turn_requests')).toBe('max_turn_requests');
  expect([cutOf('end_turn'), cutOf('refusal'), cutOf('max_tokens', true)]).toEqual([
    ...[undefined, undefined, undefined],
  ]);
});

test('its prompt is told as sent when it was sent, not when the program answers (RR-17)', () => {
  const agent = acpAgent({ settings: [mode] });
  expect(agent.talk.prompt).toBe('told');
  agent.opens({ modes: { currentModeId: 'strict' } });
  const isSent = () => agent.events.some(({ kind }) => kind === 'delivery');
  expect(isSent()).toBe(false);
  agent.answers({});
  expect(isSent()).toBe(true);
});
