import { expect, test } from 'vitest';
import { agentOf } from '../../../test/support/acp-rig.ts';
import { type SettingChange, turnSetting } from '../../../test/support/turn-setting.ts';
import { qwenAdapter } from './adapter.ts';
import { recordOf } from './record.ts';

const id = '98546137-b906-4ae3-a30f-c31bdb255b61';
const inHome = { role: { models: 'inject' } } as const;
const projects = '/homes/run/execute/projects';
const line = (uuid: string, type: string, ...parts: readonly object[]) =>
  `${JSON.stringify({ uuid, type, message: { role: 'any', parts } })}\n`;
const figures = `${JSON.stringify({ uuid: 'f', type: 'system', subtype: 'ui_telemetry' })}\n`;
const asked = line('1', 'user', { text: 'do it' });
const called = line('2', 'assistant', { text: 'I write.' }, { functionCall: { name: 'write' } });
const came = line('3', 'tool_result', { functionResponse: { name: 'write' } });
const answered = line('4', 'assistant', { text: 'Which colour?' });

/** The record as it stands; it may grow. */
function kept(lines: string, folder = projects, change: SettingChange = inHome) {
  const files: Record<string, string> = {};
  const path = `${folder}/-tree/chats/${id}.jsonl`;
  files[path] = lines;
  const setting = turnSetting({ ...change, folders: { [folder]: ['-other', '-tree'] }, files });
  return { setting, grow: (more: string) => (files[path] += more) };
}

test.each([
  ['its prompt alone', false, asked],
  ['a call of a tool', false, asked + called],
  ['what a tool gave, and figures of the answer to it', false, asked + called + came + figures],
  ['a part of its last line', false, asked + called + came + answered.slice(0, 30)],
  ['its last words', true, asked + called + came + figures + answered],
  ['its last words and figures', true, asked + called + came + answered + figures],
])('a record that ends with %s: %s', (_, isRecorded, lines) => {
  expect(recordOf(kept(lines).setting)(id)).toBe(isRecorded);
});

test('the last words of the turn before are not those of this one', () => {
  const dispatch = { sessionId: id };
  const { setting, grow } = kept(asked + answered, projects, { ...inHome, dispatch });
  const isRecorded = recordOf(setting);
  expect(isRecorded(id)).toBe(false);
  grow(line('5', 'user', { text: 'the blue one' }));
  expect(isRecorded(id)).toBe(false);
  grow(line('6', 'assistant', { text: 'Understood.' }));
  expect(isRecorded(id)).toBe(true);
});

test.each([
  ['/me/.qwen', { env: { HOME: '/me' } }],
  ['/qwen', { env: { HOME: '/me', QWEN_HOME: '/qwen' } }],
  ['/data', { env: { HOME: '/me', QWEN_RUNTIME_DIR: '/data' } }],
  ['/data', { ...inHome, env: { QWEN_RUNTIME_DIR: '/data' } }],
])('records are looked for in %s', (home, change) => {
  expect(recordOf(kept(asked, `${home}/projects`, change).setting)(id)).toBe(false);
});

test('who keeps no records, or names a session strangely, is not waited for', () => {
  expect(recordOf(turnSetting(inHome))(id)).toBe(true);
  expect(recordOf(kept(asked).setting)(`../chats/${id}`)).toBe(true);
});

test('a turn that ended is asked for its record, one that was cancelled is not', () => {
  const open = () => {
    const agent = agentOf(qwenAdapter.launch(kept(asked).setting).talk);
    agent.opens({ sessionId: id, modes: { currentModeId: 'auto-edit' } });
    agent.answers({});
    return agent;
  };
  const ended = open();
  ended.answers({ stopReason: 'end_turn' }, 'session/prompt');
  expect(ended.talk.isRecorded?.()).toBe(false);
  const cancelled = open();
  cancelled.takes(cancelled.talk.cancel());
  cancelled.answers({ stopReason: 'cancelled' }, 'session/prompt');
  expect(cancelled.talk.isRecorded?.()).toBe(true);
});
