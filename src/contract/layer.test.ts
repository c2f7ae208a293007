import { expect, test } from 'vitest';
import { readLayer } from './layer.ts';

const common = `version: 1
agent: mine          # short for roles.execute.agent
setup: npm ci          # short for workspace.setup
check: npm test        # short for criteria: [{ test: npm test }]; a list is allowed
`;

/** UX 4.2 without the keys that nothing honours yet. */
const everything = `version: 1
goal: Make the failing date tests pass.
context: [docs/dates.md]
strategy: attempts
roles:
  execute: { agent: claude, model: sonnet, login: user, args: [] }
  verify:  { profile: oracle, agent: codex }
criteria:
  - lint: npm run lint
  - test: npm test
    timeout: 15m
    expect: { exit: 0, testsRun: ">0" }
    redFirst: false
  - fileExists: docs/dates.md
  - command: ./scripts/size.sh
  - oracle: The public API of src/index.ts is unchanged.
  - manual: Look at /calendar in a narrow window.
baseline: auto
protected: [ "test/golden/**", ".github/**", package.json#scripts ]
onProtected: park
fileScope: [ "src/**", "test/**", "docs/**" ]
brakes:
  attempts: 5
  cost: 20
  tokens: null
  time: 8h
  attemptTime: 90m
  waitTime: 12h
  steps: null
  errorSignals: 3
workspace:
  isolation: worktree
  setup: { run: npm ci, timeout: 10m }
  copy: [ ".env.test" ]
  submodules: auto
permissions: workspace
onLimit: wait
env: { allow: [ LANG, NODE_OPTIONS ], set: { TZ: UTC } }
secrets: { NPM_TOKEN: "command:pass show npm" }
recovery: { requeues: 2, transfers: 3 }
concurrency: { group: web, max: 2 }
land: { method: squash, reverify: true, when: asked }
approvals: { expire: null }
`;

const problems = (text: string) => {
  const reading = readLayer('pawl.yaml', text, 'project');
  return reading.ok
    ? []
    : reading.problems.map(({ code, message, details }) => ({ code, message, ...details }));
};

test('the common case and everything that is honoured are read (UX 4.1, 4.2)', () => {
  expect(problems(common)).toEqual([]);
  expect(problems(everything)).toEqual([]);
});

test('an unknown key is refused with its place, what is allowed, and the nearest (UX 4.4-6, L-I11)', () => {
  const text = `version: 1\nagent: mine\ncheck: npm test\n\n\nbrakes:\n  maxAttempts: 3\n`;
  expect(problems(text)).toEqual([
    {
      code: 'unknown_key',
      message: '"maxAttempts" is not a key of brakes',
      where: 'pawl.yaml:7:3',
      allowed: 'attempts, attemptTime, cost, errorSignals, steps, time, tokens, waitTime',
      next: 'did you mean "attempts"?   pawl config check',
    },
  ]);
});

test.each([
  ['strategy: plan', '"strategy: plan" is not supported yet'],
  ['contextProbe: x', '"contextProbe" is not supported yet'],
  ['roles: { plan: { agent: a } }', '"roles.plan" is not supported yet'],
  ['workspace: { reuse: [node_modules] }', '"workspace.reuse" is not supported yet'],
  ['land: { when: verified }', '"land.when: verified" is not supported yet'],
  ['brakes: { steps: 40 }', '"brakes.steps: 40" is not supported yet'],
])('%s is refused by name, never parsed and ignored', (text, message) => {
  expect(problems(text)).toMatchObject([
    { code: 'not_supported', message, where: expect.stringContaining('pawl.yaml:1:') },
  ]);
});

test('a short key beside its long form is an error (UX 4.1)', () => {
  expect(problems('check: npm test\ncriteria: [{ test: npm test }]')).toMatchObject([
    { code: 'short_and_long', where: 'pawl.yaml:1:1', found: 'pawl.yaml:1:1 and pawl.yaml:2:1' },
  ]);
  expect(problems('agent: a\nroles: { execute: { agent: b } }')).toMatchObject([
    { code: 'short_and_long' },
  ]);
});

test('every problem of a file is said at once', () => {
  expect(
    problems('baseline: maybe\nprotectd: []\nbrakes: { time: soon }')
      .map(({ code }) => code)
      .sort(),
  ).toEqual(['bad_value', 'bad_value', 'unknown_key']);
});

test('what is not YAML is an error with its place, not a stack trace', () => {
  expect(problems('check: [npm test')).toMatchObject([
    { code: 'yaml_syntax', where: 'pawl.yaml:1:17' },
  ]);
  expect(problems('check: a\ncheck: b')).toMatchObject([{ code: 'yaml_syntax' }]);
});

test.each([
  ['a list', '- a'],
  ['a word', 'hello'],
  ['a number', '5'],
])('%s at the top is refused, not taken for nothing', (_, text) => {
  expect(problems(text)).toHaveLength(1);
});

test('a file of nothing sets nothing', () => {
  expect(problems('# only a comment\n')).toEqual([]);
});

test('ceilings belong to the user alone', () => {
  expect(problems('ceilings: { cost: 50 }')).toMatchObject([{ code: 'unknown_key' }]);
  expect(readLayer('config.yaml', 'ceilings: { cost: 50 }', 'user').ok).toBe(true);
});

test('what stands in place of a reference to a secret is not shown (XP-28)', () => {
  const secret = 'sk-live-1234';
  for (const text of [
    `secrets: { A: ${secret} }`,
    `secrets: ${secret}`,
    `notify: { to: [{ webhook: "https://x.example", secret: ${secret} }] }`,
    `notify: { to: [{ ntfy: "https://x.example/t", token: [${secret}] }] }`,
    `notify: { to: [{ secret: ${secret} }] }`,
  ]) {
    const said = problems(text);
    expect(JSON.stringify(said)).not.toContain(secret);
    expect(said).toContainEqual(
      expect.objectContaining({ found: expect.stringContaining('is not shown') }),
    );
  }
});
