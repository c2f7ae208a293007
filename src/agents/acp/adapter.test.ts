import { expect, test } from 'vitest';
import { agentOf, turnSetting } from '../../../test/support/acp-rig.ts';
import { driverOf } from '../../contract/known-agents.ts';
import type { Role } from '../../domain/definition/definition.ts';
import { adapterOf } from '../adapters.ts';

const role: Role = {
  ...{ profile: 'fixer', agent: 'mine', protocol: 'acp', model: 'm-1', args: ['-v'] },
  command: ['mine', '--acp', '--dir={cwd}', '{model}'],
};

test('any program that speaks ACP is started by its argv and given the prompt over it', () => {
  const launch = adapterOf(role).launch(turnSetting({ role, permissions: 'trusted' }));
  expect(launch).toMatchObject({
    argv: ['mine', '--acp', '--dir=/tree', 'm-1', '-v'],
    env: { PAWL_PROMPT_FILE: '/spool/turn/prompt.md' },
    stdin: null,
  });
  const agent = agentOf(launch.talk);
  agent.opens({ modes: { currentModeId: 'auto' } });
  expect(agent.events.at(-2)).toMatchObject({ kind: 'started', mode: 'auto' });
});

test('without an argv there is nothing to start', () => {
  expect(() => adapterOf({ ...role, command: null })).toThrow(/no command/);
});

test.each(['opencode', 'gemini', 'qwen'])(
  '%s is spoken with unless a command of its name is given',
  (agent) => {
    const { protocol: _, ...known } = { ...role, agent };
    expect(adapterOf({ ...known, command: null }).name).toBe(agent);
    expect(adapterOf(known).name).toBe('command');
  },
);

test('each is driven as the table of known agents says', () => {
  const { protocol: _, ...known } = role;
  const named = (agent: string) => driverOf({ ...known, agent, command: null });
  expect(['claude', 'codex', 'gemini', 'opencode', 'qwen'].map(named)).toEqual([
    ...['json', 'json', 'acp', 'acp', 'acp'],
  ]);
  expect([driverOf(role), driverOf(known)]).toEqual(['acp', 'command']);
});
