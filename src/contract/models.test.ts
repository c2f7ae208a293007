import { expect, test } from 'vitest';
import { plainFacts } from '../../test/support/define-facts.ts';
import { ConfigError } from '../kernel/errors.ts';
import { define } from './define.ts';
import { readLayer } from './layer.ts';
import { snapshotLayer } from './snapshot-layer.ts';

const agents = 'agents: { mine: { command: [my-agent] } }\n';
const secrets = 'secrets: { OPENAI_API_KEY: "env:KEY" }\n';
const keyed = 'roles: { execute: { agent: mine, login: key } }\n';
const own = 'roles: { execute: { agent: mine } }\n';
const judged =
  'roles: { execute: { agent: mine, login: key }, verify: { profile: oracle } }\n' +
  'criteria: [{ oracle: good }]\n';

function defined(text: string) {
  const reading = readLayer('pawl.yaml', agents + text, 'project');
  if (!reading.ok) throw new ConfigError(reading.problems);
  return define([{ ...reading.layer, kind: 'project' }], plainFacts).definition;
}
function problems(text: string) {
  try {
    defined(text);
  } catch (error: unknown) {
    if (error instanceof ConfigError) return error.problems.map(({ code }) => code);
    throw error;
  }
  return [];
}
const modesOf = (text: string) => {
  const { execute, verify } = defined(text).roles;
  return [execute.models, verify?.models];
};

test('a key goes through the models door, an own login past it (UX 1.5)', () => {
  expect(modesOf(own)).toEqual([undefined, undefined]);
  expect(modesOf(keyed + secrets)).toEqual(['inject', undefined]);
  expect(modesOf(`${keyed}${secrets}models: inject\n`)).toEqual(['inject', undefined]);
  expect(modesOf(`${keyed}${secrets}models: direct\n`)).toEqual([undefined, undefined]);
  expect(modesOf(`${own}models: pass\n`)).toEqual(['pass', undefined]);
});

test('a judge has the login of its maker, unless it says another', () => {
  expect(modesOf(judged + secrets)).toEqual(['inject', 'inject']);
  const its = judged.replace('profile: oracle', 'profile: oracle, login: user');
  expect(modesOf(its + secrets)).toEqual(['inject', undefined]);
});

test('metered figures have the default brake on money; others have none (ruling 20)', () => {
  expect(defined(keyed + secrets).brakes.costUsd).toBe(20);
  expect(defined(`${own}models: pass\n`).brakes.costUsd).toBe(20);
  expect(defined(own).brakes.costUsd).toBeNull();
  expect(defined(`${keyed}${secrets}models: direct\n`).brakes.costUsd).toBeNull();
  expect(defined(`${keyed}${secrets}brakes: { cost: null }\n`).brakes.costUsd).toBeNull();
});

test.each([
  ['a key that is not there', keyed, 'credential_missing'],
  ['a key under another name', `${keyed}secrets: { KEY: "env:K" }\n`, 'credential_missing'],
  ['inject without a key', `${own}models: inject\n`, 'bad_value'],
  ['pass with a key', `${keyed}${secrets}models: pass\n`, 'bad_value'],
])('%s is refused before anything is spent', (_name, text, code) => {
  expect(problems(text)).toEqual([code]);
});

test.each([keyed + secrets, judged + secrets, `${own}models: pass\n`, own])(
  'a retry keeps how models are called: %s',
  (text) => {
    const before = defined(text);
    const { definition } = define([snapshotLayer(before, 'run')], plainFacts);
    expect(definition.roles).toEqual(before.roles);
  },
);
