import { expect, test } from 'vitest';
import { turnSetting } from '../../../test/support/turn-setting.ts';
import { driverOf } from '../../contract/known-agents.ts';
import type { Role } from '../../domain/definition/definition.ts';
import { adapterOf } from '../adapters.ts';

const role: Role = {
  ...{ profile: 'fixer', agent: 'mine', protocol: 'pty', model: 'm-1', args: ['-v'] },
  command: ['mine', '{prompt_content}', '--model', '{model}'],
};
const screen = { rows: ['welcome'], takesPastes: true };

test('a program that needs a terminal gets its prompt in its argv, and nothing is typed (RR-19)', () => {
  const { argv, stdin, env, terminal, talk } = adapterOf(role).launch(turnSetting({ role }));
  expect(argv).toEqual(['mine', turnSetting({ role }).dispatch.prompt, '--model', 'm-1', '-v']);
  expect([stdin, terminal]).toEqual([null, { columns: 120, rows: 40 }]);
  expect(env).toMatchObject({
    TERM: 'xterm-256color',
    PAWL_RESULT_FILE: '/spool/turn/result.json',
  });
  expect(talk.isOpen).toBe(true);
  for (const atMs of [0, 5_000, 90_000]) {
    expect(talk.look?.({ ...screen, atMs })).toEqual({ write: [], events: [] });
  }
  expect(talk.end({ exit: 3, signal: null }, null)).toMatchObject({ outcome: 'turn_ended' });
  expect(talk.cancel().write).toEqual(['\u0003']);
});

test('it is typed where no word has a place for it', () => {
  const typing = { ...role, command: ['mine', '{model}'] };
  const { talk } = adapterOf(typing).launch(turnSetting({ role: typing }));
  talk.look?.({ ...screen, atMs: 0 });
  expect(talk.look?.({ ...screen, atMs: 2_000 }).write).toHaveLength(1);
});

test('without an argv there is nothing to start; its driver is told by its name', () => {
  expect(() => adapterOf({ ...role, command: null })).toThrow(/no command/);
  expect(driverOf(role)).toBe('pty');
});
