import { expect, test } from 'vitest';
import { agentOf, replay, turnSetting } from '../../../test/support/acp-rig.ts';
import type { TurnSetting } from '../../ports/agent.ts';
import { qwenAdapter } from './adapter.ts';

const recorded = (name: string) => new URL(`./recorded/${name}.ndjson`, import.meta.url);
const role = (more: object = {}): TurnSetting['role'] => ({
  ...{ profile: 'fixer', agent: 'qwen', command: null, model: null, args: [] },
  ...more,
});
const launched = (more: Partial<TurnSetting> = {}) =>
  qwenAdapter.launch(turnSetting({ role: role(), ...more }));

test("with the user's login his home stays, and settings of ours stand over his", () => {
  const { argv, env, seeds } = launched({ agentConfig: 'user' });
  expect(argv).toEqual(['/bin/qwen', '--acp', '--approval-mode', 'auto-edit']);
  expect(env).toMatchObject({
    QWEN_CODE_SYSTEM_SETTINGS_PATH: '/homes/run/execute/pawl-settings.json',
    QWEN_CODE_NO_RELAUNCH: '1',
  });
  expect(env).not.toHaveProperty('QWEN_HOME');
  const [seed] = seeds ?? [];
  expect(JSON.parse(seed !== undefined && 'text' in seed ? seed.text : '')).toMatchObject({
    privacy: { usageStatisticsEnabled: false },
    tools: { allowed: ['run_shell_command'] },
  });
});

test('with a key it has a home of its own and asks by the OpenAI API', () => {
  const { argv, env } = launched({
    role: role({ models: 'inject', model: 'q-1', args: ['-d={cwd}'] }),
  });
  expect(env).toMatchObject({ QWEN_HOME: '/homes/run/execute' });
  expect(argv.slice(-5)).toEqual(['--auth-type', 'openai', '-m', 'q-1', '-d=/tree']);
});

test.each([
  ['trusted', 'yolo', false],
  ['workspace', 'auto-edit', true],
  ['ask', 'auto-edit', false],
] as const)('%s is the mode %s', (permissions, mode, isShellFree) => {
  const { argv, seeds } = launched({ permissions });
  expect(argv).toContain(mode);
  expect(JSON.stringify(seeds).includes('run_shell_command')).toBe(isShellFree);
});

test('recorded: of a command that was denied nothing more is heard; its calls are added up', () => {
  const agent = agentOf(launched({ permissions: 'ask' }).talk);
  replay(agent, recorded('denied'));
  expect(agent.events.filter(({ kind }) => /tool_|permission|started/.test(kind))).toMatchObject([
    { kind: 'started', version: '0.15.10', mode: 'auto-edit' },
    { kind: 'permission', title: expect.stringContaining('touch asked.txt') },
  ]);
  expect(agent.talk.end({ exit: null, signal: null }, null)).toMatchObject({
    outcome: 'turn_ended',
    text: 'end Tool "run_shell_command" was canceled by the user.',
    usage: { tokensIn: 2428, tokensOut: 112, cacheRead: 40, costUsd: null },
  });
});

test('recorded: a call of an earlier turn that was never closed is none of this one', () => {
  const sessionId = '1640916a-3f86-4f1a-a4e4-26512fd898ba';
  const dispatch = { ...turnSetting().dispatch, sessionId };
  const agent = agentOf(launched({ permissions: 'ask', dispatch }).talk);
  replay(agent, recorded('allowed'), '"id":2,"result"');
  expect(agent.asked()).toContain('session/load');
  expect(agent.events.filter(({ kind }) => kind.startsWith('tool_'))).toMatchObject([
    { kind: 'tool_started', id: 'call_turn_1' },
    { kind: 'tool_finished', id: 'call_turn_1', status: 'completed' },
  ]);
});

test('its question is no permission: allowed, it would be answered with nothing', () => {
  const agent = agentOf(launched({ permissions: 'trusted' }).talk);
  agent.opens({ modes: { currentModeId: 'yolo' } });
  agent.answers({});
  // As 0.15.10 prints it.
  const request = (kind: string, id: number) => ({
    ...{ jsonrpc: '2.0', id, method: 'session/request_permission' },
    params: {
      options: [{ optionId: 'proceed_once', name: 'Submit', kind: 'allow_once' }],
      toolCall: {
        ...{ toolCallId: `call_${id}`, status: 'pending', title: 'Ask user 1 question', kind },
        rawInput: { questions: [{ question: 'Which colour?', options: [] }] },
      },
    },
  });
  agent.prints(request('edit', 0));
  expect(agent.heard.at(-1)).toMatchObject({ result: { outcome: { optionId: 'proceed_once' } } });
  agent.prints(request('think', 1));
  expect(agent.heard.slice(-2)).toMatchObject([
    { id: 1, result: { outcome: { outcome: 'cancelled' } } },
    { method: 'session/cancel' },
  ]);
  const end = agent.talk.end({ exit: null, signal: null }, null);
  expect(end).toMatchObject({ outcome: 'question', text: 'Which colour?' });
});
