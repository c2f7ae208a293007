import { expect, test } from 'vitest';
import { agentOf, replay, turnSetting } from '../../../test/support/acp-rig.ts';
import type { TurnSetting } from '../../ports/agent.ts';
import { opencodeAdapter } from './adapter.ts';

const recorded = (name: string) => new URL(`./recorded/${name}.ndjson`, import.meta.url);
const gone = { exit: null, signal: null };
const door = {
  OPENAI_BASE_URL: 'http://127.0.0.1:1/t/v1',
  OPENAI_API_KEY: 'held',
  GOOGLE_GEMINI_BASE_URL: 'http://127.0.0.1:1/t',
  GEMINI_API_KEY: 'held',
};
const role = (more: object = {}): TurnSetting['role'] => ({
  ...{ profile: 'fixer', agent: 'opencode', command: null, model: null, args: ['--x={model}'] },
  ...more,
});
const launched = (more: Partial<TurnSetting> = {}, env = {}) =>
  opencodeAdapter.launch(turnSetting({ role: role(), ...more }, env));
const configOf = (more: Partial<TurnSetting>, env = door) =>
  JSON.parse(launched(more, env).env['OPENCODE_CONFIG_CONTENT'] ?? '');
const dispatched = (more: object) => ({ ...turnSetting().dispatch, ...more });

test("with the user's login and configuration nothing of his is moved, only updates are off", () => {
  const { argv, env, seeds } = launched({ agentConfig: 'user' });
  // Without a model its token stays as it is written (SL-76).
  expect(argv).toEqual(['/bin/opencode', 'acp', '--x={model}']);
  expect(launched({ role: role({ model: 'm' }) }).argv.at(-1)).toBe('--x=m');
  expect(seeds ?? []).toEqual([]);
  expect(Object.keys(env).filter((name) => /HOME|XDG|PLUGINS|FETCH/.test(name))).toEqual([]);
  expect(configOf({ role: role({ model: 'anthropic/claude-x' }) }, {} as typeof door)).toEqual({
    ...{ autoupdate: false, share: 'disabled', model: 'anthropic/claude-x' },
  });
});

test('with a key it has folders of its own and no service but those of the door (PL-92)', () => {
  const setting = { role: role({ models: 'inject' }) };
  expect(launched(setting, door).env).toMatchObject({
    PAWL_HISTORY_FILE: '/spool/turn/history.md',
    XDG_DATA_HOME: '/homes/run/execute/data',
    OPENCODE_TEST_HOME: '/homes/run/execute',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
  });
  expect(configOf(setting)).toEqual({
    autoupdate: false,
    share: 'disabled',
    enabled_providers: ['openai', 'google'],
    provider: {
      openai: { options: { baseURL: 'http://127.0.0.1:1/t/v1', apiKey: 'held' } },
      google: { options: { baseURL: 'http://127.0.0.1:1/t/v1beta', apiKey: 'held' } },
    },
  });
});

test.each([
  ['openai/gpt-x', 'openai/gpt-x'],
  ['gpt-x', 'openai/gpt-x'],
  ['gemini-9', 'google/gemini-9'],
  ['something', 'openai/something'],
  ['vendor/model', 'openai/vendor/model'],
])('the model %s is asked for as %s, known to it or not', (model, named) => {
  const config = configOf({ role: role({ models: 'inject', model }) });
  const [provider = '', ...id] = named.split('/');
  expect(config).toMatchObject({
    model: named,
    provider: { [provider]: { models: { [id.join('/')]: {} } } },
  });
});

test('a model behind an address of the definition is asked for by Chat Completions', () => {
  const definition = { env: { allow: [], set: { OPENAI_BASE_URL: 'https://gate/v1' } } };
  const dispatch = dispatched({ definition }) as TurnSetting['dispatch'];
  const config = configOf({ dispatch, role: role({ models: 'inject', model: 'local-7b' }) });
  expect(config).toMatchObject({
    model: 'pawl/local-7b',
    provider: {
      pawl: {
        npm: '@ai-sdk/openai-compatible',
        options: { baseURL: 'http://127.0.0.1:1/t/v1', apiKey: 'held' },
        models: { 'local-7b': {} },
      },
    },
  });
  expect(config.enabled_providers).toContain('pawl');
});

test("what goes through with the agent's own authorisation keeps its keys and its services", () => {
  const env = { ANTHROPIC_BASE_URL: 'http://127.0.0.1:1/t' } as unknown as typeof door;
  expect(configOf({ role: role({ models: 'pass' }) }, env)).toEqual({
    autoupdate: false,
    share: 'disabled',
    provider: { anthropic: { options: { baseURL: 'http://127.0.0.1:1/t/v1' } } },
  });
});

test.each([
  ['trusted', { bash: 'allow', external_directory: 'allow' }],
  ['workspace', { edit: 'allow', bash: 'allow', external_directory: 'deny', webfetch: 'deny' }],
  ['ask', { edit: 'allow', bash: 'ask', external_directory: 'ask' }],
] as const)('%s stands over all files of permissions', (permissions, told) => {
  const { env } = launched({ permissions });
  expect(JSON.parse(env['OPENCODE_PERMISSION'] ?? '')).toMatchObject(told);
});

test('recorded: a turn with two tools', () => {
  const agent = agentOf(launched().talk);
  replay(agent, recorded('ok'));
  expect(agent.events.filter(({ kind }) => kind !== 'notice')).toMatchObject([
    { kind: 'session' },
    { kind: 'started', version: '1.18.33', model: 'openai/gpt-5.6-terra-pro', mode: 'build' },
    { kind: 'delivery', state: 'sent' },
    { kind: 'thought' },
    { kind: 'text', text: 'I run it.' },
    { kind: 'tool_started', id: 'call_turn_0', name: 'bash' },
    { kind: 'tool_finished', id: 'call_turn_0', status: 'completed' },
    { kind: 'tool_started', id: 'call_turn_1', name: 'bash' },
    { kind: 'tool_finished', id: 'call_turn_1', status: 'completed' },
    { kind: 'text', text: 'All done.' },
    { kind: 'usage', usage: { costUsd: 0.009312 } },
    { kind: 'usage' },
    { kind: 'turn_finished', reason: 'end_turn' },
  ]);
  expect(agent.talk.end(gone, null)).toMatchObject({
    outcome: 'turn_ended',
    text: 'All done.',
    usage: { costUsd: 0.009312, tokensIn: 1214, tokensOut: 56, cacheRead: 20, cacheWrite: 0 },
  });
});

test('recorded: it asks, by the name of the tool and its command', () => {
  const agent = agentOf(launched({ permissions: 'ask' }).talk);
  replay(agent, recorded('ask'));
  expect(agent.events.filter(({ kind }) => kind === 'permission')).toMatchObject([
    { tool: 'bash', title: 'echo hi > ran.txt; cat ran.txt' },
    { tool: 'bash', title: expect.stringContaining('printf') },
  ]);
});

test('recorded: called off while it waits for a permission', () => {
  const agent = agentOf(launched().talk);
  replay(agent, recorded('cancelled'));
  const end = agent.talk.end(gone, null);
  expect(end).toMatchObject({ outcome: 'turn_ended', usage: { costUsd: 0, tokensIn: 0 } });
  expect(agent.events).toContainEqual({
    ...{ kind: 'tool_finished', id: 'call_turn_0', status: 'failed' },
  });
});

test('recorded: a refused key is an error of the protocol without a kind', () => {
  const agent = agentOf(launched().talk);
  replay(agent, recorded('unauthorized'));
  expect(agent.talk.end(gone, null)).toMatchObject({
    outcome: 'failed',
    class: 'lane_died',
    detail: 'Internal error: Incorrect API key provided.',
  });
});

test('recorded: a limit of the service is an error without a kind; where there is a door, it tells', () => {
  const agent = agentOf(launched().talk);
  replay(agent, recorded('limited'));
  expect(agent.talk.end(gone, null)).toMatchObject({
    outcome: 'failed',
    class: 'lane_died',
    detail: 'Internal error: Rate limit reached for requests per min (RPM).',
  });
});

test('recorded: of a conversation that was loaded nothing is told again', () => {
  const dispatch = dispatched({ sessionId: 'ses_dd6e4b6e4ffe4mewXhBYtP4dUv' });
  const setting = turnSetting({ role: role(), dispatch: dispatch as TurnSetting['dispatch'] });
  const agent = agentOf(opencodeAdapter.launch(setting).talk);
  replay(agent, recorded('load'), 'Second answe');
  expect(agent.events.map(({ kind }) => kind)).toEqual([
    ...['session', 'started', 'delivery', 'text', 'text', 'notice', 'usage', 'turn_finished'],
  ]);
  // What it cost before this turn was not said, so its cost is not known.
  expect(agent.talk.end(gone, null)).toMatchObject({
    text: 'Second answer.',
    usage: { costUsd: null, tokensIn: 1214 },
  });
});

test('its question ends the turn with its text, and is called off: over ACP nobody can answer it', () => {
  const { env, talk } = launched();
  expect(env['OPENCODE_ENABLE_QUESTION_TOOL']).toBe('1');
  const agent = agentOf(talk);
  agent.opens({ configOptions: [{ id: 'mode', currentValue: 'build' }] });
  agent.answers({ configOptions: [{ id: 'mode', currentValue: 'build' }] });
  // As 1.18.33 prints it.
  const call = { toolCallId: 'call_turn_0', title: 'question', kind: 'other', locations: [] };
  const options = [{ label: 'green', description: 'as grass' }, { label: 'blue' }];
  const rawInput = { questions: [{ question: 'Which colour?', header: 'Colour', options }] };
  agent.updates({ sessionUpdate: 'tool_call', ...call, status: 'pending', rawInput: {} });
  expect(agent.events.map(({ kind }) => kind)).not.toContain('question');
  const running = { ...call, status: 'in_progress', rawInput };
  agent.updates({ sessionUpdate: 'tool_call_update', ...running });
  agent.updates({ sessionUpdate: 'tool_call_update', ...running, status: 'failed' });
  agent.answers({ stopReason: 'cancelled' }, 'session/prompt');
  const text = 'Which colour?\n- green: as grass\n- blue';
  expect(agent.events.slice(4)).toEqual([
    { kind: 'tool_started', id: 'call_turn_0', name: 'question', timeoutMs: null },
    { kind: 'question', text },
    { kind: 'tool_finished', id: 'call_turn_0', status: 'unknown' },
    { kind: 'turn_finished', reason: 'question' },
  ]);
  expect(agent.heard.at(-1)).toMatchObject({ method: 'session/cancel' });
  expect(agent.talk.end(gone, null)).toMatchObject({ outcome: 'question', text, sessionId: 's-1' });
});
