import { expect, test } from 'vitest';
import type { Role } from '../../domain/definition/definition.ts';
import type { TurnSetting } from '../../ports/agent.ts';
import type { Dispatch } from '../../ports/plane.ts';
import { commandAdapter } from './adapter.ts';

const role: Role = {
  profile: 'fixer',
  agent: 'command',
  command: ['tool', '{prompt}'],
  model: null,
  args: ['--extra', '{cwd}'],
};
const dispatch = {
  prompt: 'do it',
  runName: 'fix-it',
  job: { role: 'execute', attempt: 2 },
} as unknown as Dispatch;
const files = {
  directory: '/s/turn',
  prompt: '/s/turn/prompt.md',
  history: '/s/turn/history.md',
  result: '/s/turn/result.json',
  home: '/s/turn/home',
};
const setting: TurnSetting = {
  role,
  dispatch,
  files,
  tree: '/tree',
  env: {},
  agentConfig: 'clean',
  permissions: 'trusted',
  servers: [],
  programs: { find: () => null, has: () => false, list: () => [], tail: () => null, isRoot: false },
};
const end = (exit: number | null, signal: string | null, result: string | null) =>
  commandAdapter(role).launch(setting).talk.end({ exit, signal }, result);

test('gives the prompt as a file and on stdin, the history and the place of a result', () => {
  expect(commandAdapter(role).launch(setting)).toMatchObject({
    argv: ['tool', '/s/turn/prompt.md', '--extra', '/tree'],
    env: {
      PAWL_PROMPT_FILE: '/s/turn/prompt.md',
      PAWL_HISTORY_FILE: '/s/turn/history.md',
      PAWL_RESULT_FILE: '/s/turn/result.json',
      PAWL_ATTEMPT: '2',
    },
    stdin: 'do it',
  });
});

test('a role without a command has no agent', () => {
  expect(() => commandAdapter({ ...role, command: null })).toThrow(/no command/);
});

test.each([0, 1, 124, 127])('exit %i ends the turn: the check decides (L-O1, L-E6)', (exit) => {
  expect(end(exit, null, null)).toMatchObject({ outcome: 'turn_ended', until: null });
});

test.each([
  [0, undefined],
  [1, undefined],
  [125, undefined],
  [126, 'the agent ended with exit 126: what it was to run is no program'],
  [127, 'the agent ended with exit 127: what it was to run was not found'],
])('exit %i says of what it was to run: %s', (exit, unstarted) => {
  const ended = end(exit, null, null);
  expect(ended).toMatchObject({ outcome: 'turn_ended' });
  expect('unstarted' in ended ? ended.unstarted : undefined).toBe(unstarted);
  expect(end(exit, null, '{"outcome":"done"}')).not.toHaveProperty('unstarted');
});

test('a death by signal without a result is a lane that died', () => {
  expect(end(null, 'SIGKILL', null)).toMatchObject({
    outcome: 'lane_died',
    detail: 'the agent was killed by SIGKILL',
  });
});

test('what it said before it was killed stands', () => {
  expect(end(null, 'SIGTERM', '{"outcome":"done"}')).toMatchObject({ outcome: 'turn_ended' });
});

test.each([
  ['question', 'question'],
  ['blocked', 'blocked'],
  ['limit', 'limit'],
  ['done', 'turn_ended'],
])('the outcome %s is the end %s', (outcome, expected) => {
  expect(end(0, null, JSON.stringify({ outcome, text: 'why' }))).toMatchObject({
    outcome: expected,
    text: 'why',
  });
});

test('an unknown key makes an invalid result, which says why', () => {
  expect(end(0, null, '{"outcome":"done","pass":true}')).toMatchObject({
    outcome: 'invalid_result',
    text: 'the result file has unknown keys: pass',
  });
});
