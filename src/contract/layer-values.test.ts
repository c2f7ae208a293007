/** Goal: a value that could only fail later is refused where it stands, with what it must be. */
import { expect, test } from 'vitest';
import { readLayer } from './layer.ts';

const problems = (text: string, flagOf?: () => string): readonly string[] => {
  const read = readLayer('pawl.yaml', text, 'project', flagOf);
  return read.ok ? [] : read.problems.map(({ message, details }) => `${details.where}: ${message}`);
};

test.each([
  ['agent: "claude:"', 'pawl.yaml:1:8: "agent" must be a name, or name:model'],
  ['agent: ":sonnet"', 'pawl.yaml:1:8: "agent" must be a name, or name:model'],
  [
    'approvals: { expire: 0s }',
    'pawl.yaml:1:22: "approvals.expire" must be a span of at least 1s, or null',
  ],
  [
    'env: { set: { ANTHROPIC_BASE_URL: notaurl } }',
    'pawl.yaml:1:35: "env.set.ANTHROPIC_BASE_URL" must be an address like https://…',
  ],
  [
    'env: { set: { OPENAI_BASE_URL: "https://" } }',
    'pawl.yaml:1:32: "env.set.OPENAI_BASE_URL" must be an address like https://…',
  ],
])('%s', (text, problem) => {
  expect(problems(text)).toEqual([problem]);
});

test.each([
  'agent: claude:sonnet',
  'agent: pi:openai/gpt-5:high',
  'approvals: { expire: 1s }',
  'approvals: { expire: null }',
  'env: { set: { ANTHROPIC_BASE_URL: "http://127.0.0.1:8080/x", OTHER_URL: notaurl } }',
])('%s is taken', (text) => {
  expect(problems(text)).toEqual([]);
});

test('what was given as a flag is told by that', () => {
  expect(problems('brakes: { cost: 0 }', () => '--max-cost')).toEqual([
    '--max-cost: --max-cost must be a number above 0 and up to 1000000, or null',
  ]);
  expect(problems('roles: { execute: { model: "" } }', () => '--agent')).toEqual([
    '--agent: the model of --agent must be a text that is not empty',
  ]);
});
