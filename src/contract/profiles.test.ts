import { expect, test } from 'vitest';
import { ConfigError } from '../kernel/errors.ts';
import { checkers, domainPairs, makers } from '../kernel/profiles.ts';
import { define } from './define.ts';
import { readLayer } from './layer.ts';
import { snapshotLayer } from './snapshot-layer.ts';

const facts = {
  ...{ goal: 'g', name: null, base: null, baseBranch: null, includeChanges: false },
  project: { root: '/p', name: 'p', kind: 'user', cwd: '' },
  extraCriteria: [],
} as const;
const mine = 'agents: { mine: { command: [m] } }\n';

function layerOf(text: string) {
  const reading = readLayer('pawl.yaml', `${mine}${text}`, 'project');
  if (!reading.ok) throw new ConfigError(reading.problems);
  return reading.layer;
}
const defined = (text: string) => define([layerOf(text)], facts).definition;
function problems(text: string) {
  try {
    defined(text);
    return [];
  } catch (error: unknown) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(({ code, message, details }) => ({ code, message, ...details }));
  }
}
const profiles = (text: string) => {
  const { execute, verify } = defined(text).roles;
  return [execute.profile, verify?.profile ?? null];
};
const judged = 'criteria: [{ oracle: ok }]\n';

test.each(makers.map(({ name }) => name))('%s makes, and no checker does (EV-16)', (profile) => {
  expect(profiles(`roles: { execute: { agent: mine, profile: ${profile} } }\ncheck: t`)).toEqual([
    profile,
    null,
  ]);
  const judge = `${judged}roles: { execute: { agent: mine, profile: oracle }, verify: { profile: test } }`;
  expect(problems(judge)).toMatchObject([
    { code: 'bad_value', found: 'oracle', allowed: 'fixer, designer, explorer, librarian' },
  ]);
});

test.each(checkers.map(({ name }) => name))('%s checks, and no maker does (EV-16)', (profile) => {
  const roles = (name: string) =>
    `${judged}roles: { execute: { agent: mine }, verify: { profile: ${name} } }`;
  expect(profiles(roles(profile))).toEqual(['fixer', profile]);
  expect(problems(roles('designer'))[0]).toMatchObject({
    code: 'bad_value',
    allowed: 'oracle, observer, test',
  });
});

test('a council is neither maker nor checker of a run, and says so (EV-7, EV-16)', () => {
  const both = `${judged}roles:\n  execute: { agent: mine }\n  verify: { profile: council }`;
  expect(problems(both)[0]).toEqual({
    code: 'council_in_run',
    message: 'a council takes no part in a run',
    where: 'pawl.yaml:5:22',
    found: 'roles.verify: council',
    allowed: 'oracle, observer, test',
    next: 'roles.verify: { profile: oracle }',
  });
  expect(problems('roles: { execute: { agent: mine, profile: council } }\ncheck: t')).toMatchObject(
    [{ code: 'council_in_run', next: 'roles.execute: { profile: fixer }' }],
  );
});

test.each(Object.entries(domainPairs))('domain: %s picks %o (EV-66)', (domain, pair) => {
  const picked = defined(`${judged}domain: ${domain}\nagent: mine`);
  expect(picked.roles).toMatchObject({
    execute: { profile: pair.execute, agent: 'mine' },
    verify: { profile: pair.verify, agent: 'mine' },
  });
  expect(picked.domain).toBe(domain);
  // What the runtime checks needs no judge.
  expect(profiles(`domain: ${domain}\nagent: mine\ncheck: t`)).toEqual([pair.execute, null]);
});

test.each(Object.keys(domainPairs))(
  'domain: %s leaves an observer criterion its eyes',
  (domain) => {
    const seen = `criteria: [{ observer: ok }]\ndomain: ${domain}\n`;
    expect(profiles(`${seen}agent: mine`)[1]).toBe('observer');
    const named = 'roles: { execute: { agent: mine }, verify: { profile: test } }';
    expect(profiles(`${seen}${named}`)[1]).toBe('test');
  },
);

test('a profile that a role names wins over the domain (EV-66)', () => {
  const roles = 'roles: { execute: { agent: mine, profile: fixer }, verify: { profile: test } }';
  expect(profiles(`${judged}domain: ui\n${roles}`)).toEqual(['fixer', 'test']);
  const half = 'roles: { execute: { agent: mine, profile: explorer } }';
  expect(profiles(`${judged}domain: ui\n${half}`)).toEqual(['explorer', 'observer']);
  expect(problems('domain: games\nagent: mine\ncheck: t')).toMatchObject([
    { message: '"domain" must be "code", "ui", "research" or "docs"', where: 'pawl.yaml:2:9' },
  ]);
});

test('without a domain the kind of criterion picks the judge, as ever', () => {
  const roles = 'roles: { execute: { agent: mine }, verify: {} }';
  expect(profiles(`criteria: [{ observer: ok }]\n${roles}`)).toEqual(['fixer', 'observer']);
  expect(profiles(`${judged}${roles}`)).toEqual(['fixer', 'oracle']);
});

test('what the project tells a role is that role’s alone, and a retry keeps it', () => {
  const text = `${judged}domain: ui\nartifacts: ["shots/**"]\nroles:\n  execute: { agent: mine, prompt: Blue. }\n`;
  const definition = defined(text);
  expect(definition.roles.execute.prompt).toBe('Blue.');
  expect(definition.roles.verify).not.toHaveProperty('prompt');
  const again = define([snapshotLayer(definition, 'x')], facts).definition;
  expect(again).toMatchObject({ domain: 'ui', artifacts: ['shots/**'], roles: definition.roles });
  const judge = defined(`${text}  verify: { prompt: Strict. }`);
  expect(judge.roles.verify?.prompt).toBe('Strict.');
});

test('artifacts are globs inside the project (EV-67)', () => {
  const wrong = problems('artifacts: [/tmp/x.png, "../y", "a[b"]\nagent: mine\ncheck: t');
  expect(wrong.map(({ message }) => message)).toEqual([
    '"artifacts[0]" is absolute',
    '"artifacts[1]" leads out of the project',
    '"artifacts[2]" has an open bracket, so it fits nothing',
  ]);
  expect(defined('artifacts: []\nagent: mine\ncheck: t')).not.toHaveProperty('artifacts');
});

test('which tools a role has is still refused by name, not parsed and ignored', () => {
  expect(() => layerOf('roles: { execute: { agent: mine, tools: [bash] } }')).toThrow(
    '"roles.execute.tools" is not supported yet',
  );
});
