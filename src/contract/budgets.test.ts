import { expect, test } from 'vitest';
import { ConfigError } from '../kernel/errors.ts';
import { budgetsOf } from './budgets.ts';
import { readLayer } from './layer.ts';

const read = (text: string) => budgetsOf('config.yaml', text);

test('budgets over runs come from the file of the user', () => {
  expect(read('budgets: { day: { cost: 40, time: 24h }, project: { tokens: 5000000 } }')).toEqual({
    day: { costUsd: 40, tokens: null, timeMs: 86_400_000 },
    project: { costUsd: null, tokens: 5_000_000, timeMs: null },
  });
  expect(read('agent: claude')).toEqual({ day: null, project: null });
  expect(read('')).toEqual({ day: null, project: null });
});

test.each([
  ['budgets: { day: { cost: 0 } }', '"budgets.day.cost"'],
  ['budgets: { day: { cost: free } }', '"budgets.day.cost"'],
  ['budgets: { day: { time: soon } }', '"budgets.day.time"'],
  ['budgets: { night: { cost: 5 } }', '"night" is not a key of budgets'],
  ['budgets: { day: { money: 5 } }', '"money" is not a key of budgets.day'],
  ['budgets: [', 'YAML'],
])('%s is a problem, never no budget', (text, says) => {
  expect(() => read(text)).toThrow(ConfigError);
  expect(() => read(text)).toThrow(says);
});

test('a project cannot give itself one', () => {
  const reading = readLayer('pawl.yaml', 'budgets: { day: { cost: 500 } }', 'project');
  expect(reading).toMatchObject({ ok: false, problems: [{ code: 'unknown_key' }] });
});
