/**
 * Goal: whatever is wrong in a file is said in words of this product: the field, what was found,
 * what is allowed, and what to type next (UX 4.4, L-I11).
 */
import { expect, test } from 'vitest';
import { readLayer } from './layer.ts';

const problemsOf = (text: string, kind: 'project' | 'user' = 'project') => {
  const reading = readLayer('pawl.yaml', text, kind);
  return reading.ok ? [] : reading.problems;
};

const wrong: readonly (readonly [yaml: string, says: string])[] = [
  ['version: 2', '"version" must be 1'],
  ['goal: 5', '"goal" must be a text'],
  ['goal: ""', '"goal" must be a text that is not empty'],
  ['check: 5', '"check" must be a text or a list of texts'],
  ['check: []', '"check" must be a list with at least 1 in it'],
  ['context: a.md', '"context" must be a list of texts'],
  ['context: [1]', '"context[0]" must be a text'],
  ['roles: x', '"roles" must be a map of execute, verify'],
  ['roles: { execute: { model: [] } }', '"roles.execute.model" must be a text'],
  ['roles: { execute: { login: none } }', '"roles.execute.login" must be "user" or "key"'],
  ['agents: { mine: {} }', '"agents.mine" must be a map with one of command, acp and pty'],
  [
    'agents: { mine: { command: [a], acp: [a] } }',
    '"agents.mine" must be a map with one of command, acp and pty',
  ],
  ['agents: { mine: { command: a } }', '"agents.mine.command" must be a list of texts'],
  [
    'agents: { mine: { command: [] } }',
    '"agents.mine.command" must be a list with at least 1 in it',
  ],
  [
    'agents: { "a b": { command: [x] } }',
    '"agents.a b" must be named by letters, digits, _, . and -',
  ],
  ['criteria: npm test', '"criteria" must be a list'],
  ['criteria: []', '"criteria" must be a list with at least 1 in it'],
  ['criteria: [npm test]', '"criteria[0]" must be a map of test, build, lint, command'],
  ['criteria: [{ test: a, timeout: soon }]', '"criteria[0].timeout" must be a span like 90s'],
  ['criteria: [{ test: a, redFirst: "yes" }]', '"criteria[0].redFirst" must be true or false'],
  [
    'criteria: [{ test: a, expect: { exit: 300 } }]',
    '"criteria[0].expect.exit" must be a whole number from 0 to 255',
  ],
  ['baseline: maybe', '"baseline" must be "auto", "green-ok" or "skip"'],
  ['brakes: { attempts: many }', '"brakes.attempts" must be a whole number from 0 to 100, or null'],
  ['brakes: { attempts: 101 }', '"brakes.attempts" must be a whole number from 0 to 100, or null'],
  ['brakes: { attempts: 1.5 }', '"brakes.attempts" must be a whole number from 0 to 100, or null'],
  ['brakes: { cost: -1 }', '"brakes.cost" must be a number above 0 and up to 1000000, or null'],
  ['brakes: { time: 8 }', '"brakes.time" must be a text like 8h, or null'],
  ['brakes: { errorSignals: 0 }', '"brakes.errorSignals" must be a whole number from 1 to 1000'],
  ['concurrency: { max: 0 }', '"concurrency.max" must be a whole number from 1 to 64'],
  ['env: { allow: [A-B] }', '"env.allow[0]" must be the name of a variable'],
  ['secrets: { T: plain }', '"secrets.T" must be env:, file: or command:'],
  ['secrets: { "a b": "env:X" }', '"secrets.a b" must be named by letters, digits and _'],
  [
    'notify: { to: [5] }',
    '"notify.to[0]" must be a text, a map of webhook, secret or a map of ntfy',
  ],
  ['notify: { to: [] }', '"notify.to" must be a list with at least 1 in it'],
  ['just text', 'the file must be a map of version, goal'],
  ['[1, 2]', 'the file must be a map of version, goal'],
];

test.each(wrong)('%s', (yaml, says) => {
  const problems = problemsOf(yaml);
  expect(problems.map(({ message }) => message).join('\n')).toContain(says);
  for (const { message, details } of problems) {
    expect(message).not.toMatch(/invalid|expected|received|zod|too (?:small|big)|pattern/i);
    expect(details.where).toMatch(/^pawl\.yaml:\d+:\d+$/);
    expect(details.found).toBeTruthy();
    expect(details.next).toMatch(/pawl /);
  }
});

test('ceilings of the user are said the same way', () => {
  const [problem] = problemsOf('ceilings: { cost: free }', 'user');
  expect(problem?.message).toBe(
    '"ceilings.cost" must be a number above 0 and up to 1000000, or null',
  );
});

test('what is no YAML is said so, with what is wrong with the line as found', () => {
  const [problem] = problemsOf('a: [1\nb: }');
  expect(problem).toMatchObject({ code: 'yaml_syntax', message: 'this cannot be read as YAML' });
  expect(problem?.details).toMatchObject({
    next: 'correct the line;   pawl config check  tries it',
  });
  expect(problem?.details.found).toBeTruthy();
});
