import { expect, test } from 'vitest';
import { plainFacts } from '../../test/support/define-facts.ts';
import { ConfigError } from '../kernel/errors.ts';
import { checkLayers } from './check-layers.ts';
import { define } from './define.ts';
import { readLayer } from './layer.ts';
import { snapshotLayer } from './snapshot-layer.ts';

const facts = { ...plainFacts, extraCriteria: [{ manual: 'look' }] };
const agents = 'agents: { mine: { command: [my-agent] } }\n';
const secrets = 'secrets: { OPENAI_API_KEY: "env:KEY" }\n';
const user = 'agentConfig: user\n';
const clean = 'agentConfig: clean\n';
const cannotHide = expect.stringContaining('copilot cannot hide personal hooks and plugins');

function layerOf(text: string) {
  const reading = readLayer('pawl.yaml', agents + text, 'project');
  if (!reading.ok) throw new ConfigError(reading.problems);
  return reading.layer;
}
const defined = (text: string, environment: Record<string, string> = {}) =>
  define([layerOf(text)], { ...facts, environment });
const problemsOf = (text: string) => {
  try {
    defined(text);
  } catch (error: unknown) {
    if (error instanceof ConfigError) return error.problems.map(({ message }) => message);
    throw error;
  }
  return [];
};

test('clean is what counts without a word, and user is kept in the snapshot (UX 1.5)', () => {
  expect(defined('agent: claude\n').definition).not.toHaveProperty('agentConfig');
  expect(defined(`agent: claude\n${clean}`).definition).not.toHaveProperty('agentConfig');
  const { definition } = defined(`agent: claude\n${user}`);
  expect(definition.agentConfig).toBe('user');
  const again = define([snapshotLayer(definition, 'before')], facts).definition;
  expect(again.agentConfig).toBe('user');
});

test.each([
  ['execute', `roles: { execute: { agent: codex, login: key } }\n${secrets}`],
  [
    'verify',
    'roles: { execute: { agent: claude }, verify: { agent: codex, login: key, profile: oracle } }\n' +
      `criteria: [{ oracle: good }]\n${secrets}`,
  ],
])('user and a key of %s do not go together: such a home has nothing of yours', (role, text) => {
  const words = `"agentConfig: user" and "roles.${role}.login: key" do not go together`;
  expect(problemsOf(text + user)).toEqual([words]);
  expect(problemsOf(text + clean)).toEqual([]);
  const { problems } = checkLayers([layerOf(text + user)]);
  expect(problems.map(({ message }) => message)).toEqual([words]);
});

test('a command of your own has no other home with a key, so nothing is refused', () => {
  const text = `roles: { execute: { agent: mine, login: key } }\n${secrets}`;
  expect(defined(text + user).definition.agentConfig).toBe('user');
});

test('with models: direct a key is given to the agent where it lies, and user is kept', () => {
  const text = `roles: { execute: { agent: codex, login: key } }\nmodels: direct\n${secrets}`;
  expect(problemsOf(text + user)).toEqual([]);
});

test('what an agent cannot be held to is told: copilot with its login in its home', () => {
  const copilot = 'agent: copilot\n';
  expect(defined(copilot).notes).toEqual([cannotHide]);
  expect(defined(copilot + user).notes).toEqual([]);
  expect(defined(`${copilot}secrets: { GH_TOKEN: "env:GH_TOKEN" }\n`).notes).toEqual([]);
  const allowed = `${copilot}env: { allow: [GH_TOKEN] }\n`;
  expect(defined(allowed).notes).toEqual([cannotHide]);
  expect(defined(allowed, { GH_TOKEN: 'secret' }).notes).toEqual([]);
  const set = `${copilot}env: { set: { COPILOT_PROVIDER_BASE_URL: "http://127.0.0.1:1" } }\n`;
  expect(defined(set).notes).toEqual([]);
  const keyed = `roles: { execute: { agent: copilot, model: gpt, login: key } }\n${secrets}`;
  expect(defined(keyed).notes).toEqual([]);
});

test('each agent that keeps all of it says nothing', () => {
  for (const agent of ['claude', 'codex', 'opencode', 'gemini', 'pi', 'qwen']) {
    expect(defined(`agent: ${agent}\n`).notes).toEqual([]);
  }
});

test('a promise about a command of your own is told to be none, where it is made', () => {
  expect(defined('agent: mine\n').notes).toEqual([]);
  expect(defined(`agent: mine\n${clean}`).notes).toEqual([
    expect.stringContaining('agentConfig: clean says nothing of "mine"'),
  ]);
  // Not by a retry, for which nobody made it anew.
  const again = snapshotLayer(defined(`agent: mine\n${clean}`).definition, 'before');
  expect(define([again], facts).notes).toEqual([]);
});
