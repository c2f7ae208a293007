import { expect, test } from 'vitest';
import { acpAgent, session } from '../../../../test/support/acp-rig.ts';
import { plainProfile } from './profile.ts';

const gone = { exit: null, signal: null };
const mode = { kind: 'mode', value: 'strict' } as const;
const both = { ...plainProfile, reopens: ['resume', 'load'] as const };
const chunk = (text: string) => ({
  sessionUpdate: 'agent_message_chunk',
  content: { type: 'text', text },
});
const capabilities = { loadSession: true, sessionCapabilities: { resume: {} } };

test('an earlier conversation is taken up without a replay, where that is real', () => {
  const agent = acpAgent({ sessionId: session, profile: both });
  agent.answers({ protocolVersion: 1, agentCapabilities: capabilities });
  expect(agent.heard.at(-1)).toMatchObject({
    method: 'session/resume',
    params: { sessionId: session, cwd: '/tree', mcpServers: [] },
  });
  agent.answers({});
  expect(agent.asked().at(-1)).toBe('session/prompt');
});

test.each([
  [{ loadSession: true }, 'session/load'],
  [{}, 'session/new'],
])('with %j it is opened by %s', (agentCapabilities, method) => {
  const agent = acpAgent({ sessionId: session, profile: both });
  agent.answers({ protocolVersion: 1, agentCapabilities });
  expect(agent.asked().at(-1)).toBe(method);
});

test('a replay is no work of this turn: no text, no tool, no mode that is not its own', () => {
  const agent = acpAgent({ sessionId: session, settings: [mode] });
  agent.answers({ protocolVersion: 1, agentCapabilities: capabilities });
  agent.updates(chunk('old'));
  agent.updates({ sessionUpdate: 'tool_call', toolCallId: 'old', status: 'in_progress' });
  agent.answers({ modes: { currentModeId: 'strict' } });
  agent.updates(chunk('[MODE_UPDATE] strict'));
  agent.answers({});
  agent.updates(chunk('still old'));
  agent.answers({});
  // Nothing came since the last request: the replay is over.
  agent.answers({});
  expect(agent.asked().at(-1)).toBe('session/prompt');
  agent.updates(chunk('new'));
  agent.answers({ stopReason: 'end_turn' });
  const kinds = agent.events.map(({ kind }) => kind);
  expect(kinds).toEqual(['session', 'started', 'delivery', 'text', 'turn_finished']);
  expect(agent.talk.end(gone, null)).toMatchObject({ text: 'new' });
});

test('a replay that never ends is not waited for without end', () => {
  const agent = acpAgent({ sessionId: session, settings: [mode] });
  agent.answers({ protocolVersion: 1, agentCapabilities: capabilities });
  agent.answers({});
  let rounds = 0;
  while (agent.asked().at(-1) !== 'session/prompt' && rounds < 1_000) {
    agent.updates(chunk('old'));
    agent.answers({});
    rounds += 1;
  }
  expect(rounds).toBeLessThan(300);
});

test('a conversation that is lost begins anew in the same turn (the minute of gemini)', () => {
  const agent = acpAgent({ sessionId: session, profile: both });
  agent.answers({ protocolVersion: 1, agentCapabilities: capabilities });
  agent.fails({ code: -32601, message: 'no resume' });
  expect(agent.asked().at(-1)).toBe('session/load');
  agent.fails({ code: -32603, message: 'Internal error', data: { details: 'Invalid session' } });
  expect(agent.events.at(-1)).toMatchObject({
    kind: 'error',
    detail: expect.stringContaining('Invalid session'),
  });
  agent.answers({ sessionId: 's-2' }, 'session/new');
  agent.answers({ stopReason: 'end_turn' });
  expect(agent.talk.end(gone, null)).toMatchObject({ outcome: 'turn_ended', sessionId: 's-2' });
});

test('a login that is asked for is not answered by a new conversation', () => {
  const agent = acpAgent({ sessionId: session });
  agent.answers({ protocolVersion: 1, agentCapabilities: capabilities });
  agent.fails({ code: -32000, message: 'Authentication required' });
  expect(agent.talk.end(gone, null)).toMatchObject({ class: 'auth_required' });
});
