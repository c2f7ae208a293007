import { expect, test } from 'vitest';
import { agentOf, replay, turnSetting } from '../../../test/support/acp-rig.ts';
import type { TurnSetting } from '../../ports/agent.ts';
import { geminiAdapter } from './adapter.ts';

const recorded = (name: string) => new URL(`./recorded/${name}.ndjson`, import.meta.url);
const gone = { exit: null, signal: null };
const role = (more: object = {}): TurnSetting['role'] => ({
  ...{ profile: 'fixer', agent: 'gemini', command: null, model: null, args: [] },
  ...more,
});
const launched = (more: Partial<TurnSetting> = {}) =>
  geminiAdapter.launch(turnSetting({ role: role(), ...more }));
const settingsOf = (more: Partial<TurnSetting> = {}) => {
  return JSON.parse(seedOf('pawl-settings.json', more) ?? '');
};
const seedOf = (path: string, more: Partial<TurnSetting> = {}) => {
  const seed = launched(more).seeds?.find((one) => one.path === path);
  return seed !== undefined && 'text' in seed ? seed.text : null;
};

test("with the user's login his settings stay, and what must hold stands over them", () => {
  const { argv, env, seeds } = launched({ agentConfig: 'user' });
  expect(argv).toEqual([
    ...['/bin/gemini', '--acp', '--approval-mode', 'auto_edit'],
    ...['--policy', '/homes/run/execute/pawl-policy.toml'],
  ]);
  expect(env).toEqual({
    PAWL_PROMPT_FILE: '/spool/turn/prompt.md',
    PAWL_HISTORY_FILE: '/spool/turn/history.md',
    PAWL_RESULT_FILE: '/spool/turn/result.json',
    PAWL_ATTEMPT: '2',
    GEMINI_CLI_SYSTEM_SETTINGS_PATH: '/homes/run/execute/pawl-settings.json',
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
    GEMINI_CLI_NO_RELAUNCH: '1',
  });
  expect(seeds).toHaveLength(2);
  expect(settingsOf()).toMatchObject({
    general: { enableAutoUpdate: false },
    privacy: { usageStatisticsEnabled: false },
    security: { folderTrust: { enabled: false } },
  });
  expect(settingsOf().security).not.toHaveProperty('auth');
});

test('with a key it has a home of its own, the key as its login, and a model that is named', () => {
  const setting = { role: role({ models: 'inject' }) };
  expect(launched(setting).env).toMatchObject({ GEMINI_CLI_HOME: '/homes/run/execute' });
  expect(launched(setting).argv.slice(-2)).toEqual(['-m', 'pro']);
  // It leaves out settings over others' where a folder above can be written by others.
  expect(seedOf('.gemini/settings.json', setting)).toBe(seedOf('pawl-settings.json', setting));
  expect(settingsOf(setting).security.auth).toEqual({ selectedType: 'gemini-api-key' });
  const named = { role: role({ model: 'gemini-9', args: ['--debug', '{cwd}'] }) };
  expect(launched(named).argv.slice(-4)).toEqual(['-m', 'gemini-9', '--debug', '/tree']);
});

test.each([
  ['trusted', 'yolo', 1],
  ['workspace', 'auto_edit', 2],
  ['ask', 'auto_edit', 1],
] as const)(
  '%s is the mode %s, and what runs at the provider is off (PL-92)',
  (permissions, flag, rules) => {
    expect(launched({ permissions }).argv).toContain(flag);
    const policy = seedOf('pawl-policy.toml', { permissions }) ?? '';
    expect(policy.match(/\[\[rule\]\]/g)).toHaveLength(rules);
    expect(policy).toContain('["google_web_search","web_fetch","enter_plan_mode"]');
    expect(policy.includes('"run_shell_command"')).toBe(permissions === 'workspace');
  },
);

test('tools that it is given are not asked for once more', () => {
  const servers = [{ name: 'doors', command: 'node', args: [], env: {} }];
  expect(seedOf('pawl-policy.toml', { servers })).toContain('toolName = "mcp_doors_*"');
});

test('recorded: a turn with a command that was asked for and a file', () => {
  const agent = agentOf(launched({ permissions: 'ask' }).talk);
  replay(agent, recorded('ok'));
  expect(agent.events).toMatchObject([
    { kind: 'session' },
    { kind: 'started', version: '0.61.0', model: 'pro', mode: 'autoEdit' },
    { kind: 'delivery', state: 'sent' },
    { kind: 'thought' },
    { kind: 'text', text: 'I run it.' },
    {
      ...{ kind: 'permission', request: '0', tool: 'run_shell_command' },
      title: 'echo hi > ran.txt; cat ran.txt',
    },
    { kind: 'tool_started', name: 'run_shell_command' },
    { kind: 'tool_finished', status: 'completed' },
    { kind: 'tool_started', name: 'write_file' },
    { kind: 'tool_finished', status: 'completed' },
    { kind: 'text', text: 'All done.' },
    { kind: 'usage', usage: { tokensIn: 3702, tokensOut: 168, costUsd: null } },
    { kind: 'turn_finished', reason: 'end_turn' },
  ]);
  expect(agent.talk.end(gone, null)).toMatchObject({ outcome: 'turn_ended', text: 'All done.' });
});

test('recorded: of a command that was denied nothing more is heard, and nothing is open', () => {
  const agent = agentOf(launched({ permissions: 'ask' }).talk);
  replay(agent, recorded('denied'));
  expect(agent.events.filter(({ kind }) => kind.startsWith('tool_'))).toMatchObject([
    { kind: 'tool_started', name: 'write_file' },
    { kind: 'tool_finished', status: 'completed' },
  ]);
});

test('recorded: called off in the middle of a command', () => {
  const agent = agentOf(launched({ permissions: 'trusted' }).talk);
  replay(agent, recorded('cancelled'));
  expect(agent.events.at(-1)).toEqual({ kind: 'turn_finished', reason: 'cancelled' });
});

test('recorded: a refused key is told by its code', () => {
  const agent = agentOf(launched({ permissions: 'trusted' }).talk);
  replay(agent, recorded('unauthorized'));
  expect(agent.talk.end(gone, null)).toMatchObject({ outcome: 'failed', class: 'auth_required' });
});

test('recorded: a replay that comes after the answer to its load is not of this turn', () => {
  const sessionId = 'bab27a6f-caff-429c-8941-2820d7b7c205';
  const dispatch = { ...turnSetting().dispatch, sessionId };
  const agent = agentOf(launched({ dispatch }).talk);
  replay(agent, recorded('load'), 'Second answe');
  expect(agent.asked()).toContain('session/load');
  expect(agent.events.map(({ kind }) => kind)).toEqual([
    ...['session', 'started', 'delivery', 'text', 'text', 'usage', 'turn_finished'],
  ]);
  expect(agent.talk.end(gone, null)).toMatchObject({ text: 'Second answer.', sessionId });
});
