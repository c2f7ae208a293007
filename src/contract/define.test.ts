import { expect, test } from 'vitest';
import { ConfigError } from '../kernel/errors.ts';
import { type DefineFacts, define, slug } from './define.ts';
import { type Layer, readLayer } from './layer.ts';
import { snapshotLayer } from './snapshot-layer.ts';

const facts: DefineFacts = {
  goal: 'Make the date tests pass',
  name: null,
  project: { root: '/r', name: 'r', kind: 'user', cwd: '' },
  base: 'a'.repeat(40) as NonNullable<DefineFacts['base']>,
  baseBranch: 'main',
  includeChanges: false,
  extraCriteria: [],
};
const agents = 'agents: { mine: { command: [my-agent, "{prompt}"] } }\nagent: mine\n';

function layer(text: string, kind: Layer['kind'] = 'project'): Layer {
  const name =
    kind === 'user' ? '~/.config/pawl/config.yaml' : kind === 'flags' ? 'flags' : 'pawl.yaml';
  const reading = readLayer(name, text, kind === 'user' ? 'user' : 'project');
  if (!reading.ok) throw new ConfigError(reading.problems);
  return { ...reading.layer, kind };
}
const defined = (...layers: readonly Layer[]) => define(layers, facts).definition;
function problems(...layers: readonly Layer[]) {
  try {
    define(layers, facts);
  } catch (error: unknown) {
    if (error instanceof ConfigError) {
      return error.problems.map(({ code, message, details }) => ({ code, message, ...details }));
    }
    throw error;
  }
  return [];
}

test('defaults are those of ruling 20; without metering there is no default cost brake', () => {
  const { brakes, baseline, protected: kept } = defined(layer(`${agents}check: npm test`));
  expect(brakes).toEqual({
    attempts: 5,
    costUsd: null,
    tokens: null,
    steps: null,
    timeMs: 8 * 3_600_000,
    attemptTimeMs: 90 * 60_000,
    waitTimeMs: 12 * 3_600_000,
    errorSignals: 3,
  });
  expect(baseline).toBe('auto');
  expect(kept).toContain('package.json#scripts');
});

test('short and long forms give the same definition (UX 4.1)', () => {
  const short = layer(`${agents}setup: npm ci\ncheck: [npm run lint, npm test]`);
  const long = layer(`agents: { mine: { command: [my-agent, "{prompt}"] } }
roles: { execute: { agent: mine } }
workspace: { setup: { run: npm ci } }
criteria: [{ test: npm run lint }, { test: npm test }]`);
  expect(defined(short)).toEqual(defined(long));
});

test('flags win over files, maps merge by key, lists replace (UX 4.3)', () => {
  const user = layer(
    'brakes: { attempts: 9, time: 2h }\nprotected: [secret/**]\nenv: { allow: [A] }',
    'user',
  );
  const project = layer(
    `${agents}check: a\nbrakes: { attempts: 7 }\nprotected: [x/**]\nenv: { allow: [B] }`,
  );
  const flags = layer('criteria: [{ test: b }]', 'flags');
  const { brakes, criteria, protected: kept, env } = defined(flags, project, user);
  expect(brakes).toMatchObject({ attempts: 7, timeMs: 2 * 3_600_000 });
  expect(criteria).toMatchObject([{ kind: 'test', command: 'b' }]);
  expect(kept).toEqual(['x/**', 'secret/**']);
  expect(env.allow).toEqual(['B', 'A']);
});

test('another agent does not inherit the model of the first', () => {
  const project = layer(
    'agents: { a: { command: [a] }, b: { command: [b] } }\nroles: { execute: { agent: a, model: big, args: [-x] } }\ncheck: t',
  );
  expect(
    defined(layer('roles: { execute: { agent: b } }', 'flags'), project).roles.execute,
  ).toEqual({
    profile: 'fixer',
    agent: 'b',
    command: ['b'],
    model: null,
    args: [],
  });
});

test('ceilings cap what a lower level asks for, and say so', () => {
  const user = layer('ceilings: { attempts: 3, cost: 5, time: 1h }', 'user');
  const { definition, notes } = define(
    [layer(`${agents}check: t\nbrakes: { attempts: 90 }`), user],
    facts,
  );
  expect(definition.brakes).toMatchObject({ attempts: 3, costUsd: 5, timeMs: 3_600_000 });
  expect(notes).toContain('attempts is capped by your ceilings');
});

test('a run needs a finite brake (UX 4.4-8)', () => {
  const user = layer('\n\nceilings: { cost: 50 }', 'user');
  const text = `${agents}check: t\nbrakes: { attempts: 0, cost: null, time: null }`;
  expect(problems(layer(text), user)).toEqual([
    {
      code: 'endless',
      message: 'a run needs a finite brake',
      where: 'pawl.yaml:4:9',
      found: 'attempts: 0, cost: null, time: null',
      allowed:
        'attempts 1–100, time up to 7d, cost up to your ceiling ($50, ~/.config/pawl/config.yaml:3)',
      next: 'remove the brakes block to get the defaults (5 attempts, 8h, $20)',
    },
  ]);
});

test('an agent that speaks ACP is named by its argv, and held to nothing but trust', () => {
  const text =
    'agents: { mine: { acp: [mine, "{file}"], promptVar: "{file}" } }\nagent: mine\ncheck: t';
  const own = layer(text);
  expect(problems(own)).toEqual([]);
  expect(define([own], facts).definition.roles.execute).toMatchObject({
    ...{ agent: 'mine', command: ['mine', '{prompt}'], protocol: 'acp' },
  });
  expect(problems(layer(`${text}\npermissions: workspace`))[0]).toMatchObject({
    code: 'not_supported',
  });
});

test('an agent that needs a terminal is named by its argv, and held to nothing but trust', () => {
  const text = 'agents: { mine: { pty: [mine, "{prompt_content}"] } }\nagent: mine\ncheck: t';
  const own = layer(text);
  expect(problems(own)).toEqual([]);
  const { definition } = define([own], facts);
  expect(definition.roles.execute).toMatchObject({
    ...{ agent: 'mine', command: ['mine', '{prompt_content}'], protocol: 'pty' },
  });
  expect(snapshotLayer(definition, 'it').value.agents).toEqual({
    mine: { pty: ['mine', '{prompt_content}'] },
  });
  expect(problems(layer(`${text}\npermissions: ask`))[0]).toMatchObject({ code: 'not_supported' });
});

test('opencode, gemini and qwen are spoken with, and kept to their work tree unless they are trusted', () => {
  for (const agent of ['opencode', 'gemini', 'qwen']) {
    const { definition } = define([layer(`agent: ${agent}\ncheck: t`)], facts);
    expect(definition).toMatchObject({
      permissions: 'workspace',
      roles: { execute: { agent, command: null } },
    });
  }
});

test('a model for a command that has no place for it is refused, in its args it has one', () => {
  const text = (args: string) =>
    `agents: { mine: { command: [mine] } }
check: npm test
roles: { execute: { agent: mine, model: sonnet, args: [${args}] } }`;
  expect(problems(layer(text('')))[0]).toMatchObject({
    code: 'bad_value',
    message: 'the command of "mine" has no {model} for "sonnet"',
    where: 'pawl.yaml:1:28',
    found: 'mine',
    next: 'put {model} into agents.mine.command   or  name no model: --agent mine',
  });
  expect(problems(layer(text('--model, "{model}"')))).toEqual([]);
});

test('maker and checker of one profile are refused at load (EV-32, UX 4.4-7, SL-84)', () => {
  const text = `agents: { claude: { command: [claude, "{model}"] } }
criteria: [{ oracle: The API is unchanged. }]
roles:
  execute: { agent: claude, model: sonnet }
  verify:  { profile: fixer }
`;
  expect(problems(layer(text))[0]).toEqual({
    code: 'same_agent',
    message: 'executeAgent and verifyAgent must be different agents',
    where: 'pawl.yaml:5:12',
    found: 'roles.execute: fixer on claude:sonnet, roles.verify: fixer on claude:sonnet',
    allowed:
      'another profile (oracle, observer), and another model where the definition names two; or criteria the runtime itself runs',
    next: 'roles.verify: { profile: oracle }   or remove the oracle criterion',
  });
});

test('one program serves both roles as two profiles (ruling 4)', () => {
  const { roles } = defined(
    layer(`${agents}criteria: [{ oracle: ok }]`),
    layer('roles: { verify: { profile: oracle } }', 'user'),
  );
  expect(roles.verify).toMatchObject({ profile: 'oracle', agent: 'mine' });
});

test('an oracle needs a judge (EV-16)', () => {
  expect(problems(layer(`${agents}criteria: [{ oracle: ok }]`))).toMatchObject([
    { code: 'verifier_missing' },
  ]);
});

test('an agent that nobody can start is refused before anything is spent', () => {
  expect(problems(layer('agent: claud\ncheck: t'))).toMatchObject([
    { code: 'agent_missing', where: 'pawl.yaml:1:8' },
  ]);
  expect(problems(layer('agent: claud\ncheck: t'))[0]?.next).toContain('did you mean "claude"?');
  expect(
    problems(layer(`${agents.replace('agent: mine', 'agent: mind')}check: t`))[0]?.next,
  ).toContain('did you mean "mine"?');
  expect(problems(layer('check: t'))).toMatchObject([
    { code: 'agent_missing', message: 'no agent is named' },
  ]);
});

test('an agent that is known needs no command, and is told its model (UX 4.1)', () => {
  expect(defined(layer('agent: claude\ncheck: t')).roles.execute).toMatchObject({
    ...{ agent: 'claude', command: null, model: null },
  });
  for (const name of ['pi', 'copilot']) {
    expect(defined(layer(`agent: ${name}\ncheck: t`)).roles.execute).toMatchObject({
      ...{ agent: name, command: null },
    });
  }
  const own = layer('agents: { claude: { command: [mine] } }\nagent: claude\ncheck: t');
  expect(defined(own).roles.execute.command).toEqual(['mine']);
});

test('an agent that nothing is known of is run by a command, also through a shell (SL-78)', () => {
  const line = ['sh', '-c', 'aider --yes --message-file "$1"', 'aider', '{prompt}'];
  const own = layer(
    `agents: { aider: { command: ${JSON.stringify(line)} } }\nagent: aider\ncheck: t`,
  );
  expect(defined(own).roles.execute).toMatchObject({ agent: 'aider', command: line });
  expect(defined(own).permissions).toBe('trusted');
});

test('a command is not promised to be held to less than it can do (UX 1.5)', () => {
  expect(problems(layer(`${agents}check: t\npermissions: workspace`))).toMatchObject([
    { code: 'not_supported', message: 'mine never asks; pawl cannot hold it to `workspace`' },
  ]);
});

test('claude and codex are kept to their work tree unless they are trusted (UX 1.5)', () => {
  const held = (agent: string, more = '') =>
    define([layer(`agent: ${agent}\ncheck: t\n${more}`)], facts).definition.permissions;
  expect(['claude', 'codex'].map((agent) => held(agent))).toEqual(['workspace', 'workspace']);
  expect(held('codex', 'permissions: trusted')).toBe('trusted');
  expect(held('claude', 'permissions: ask\nonPermission: deny')).toBe('ask');
  expect(held('claude', 'agents: { claude: { command: [mine] } }')).toBe('trusted');
  expect(
    problems(layer('agent: codex\ncheck: t\npermissions: ask\nonPermission: deny')),
  ).toMatchObject([
    {
      message: 'codex never asks; pawl cannot hold it to `ask`',
      allowed: 'trusted, workspace',
      next: 'Use --permissions trusted, or another agent',
    },
  ]);
});

test('who is to be asked is asked only on behalf of an agent that waits for the answer', () => {
  const of = (agent: string, more: string) => layer(`agent: ${agent}\ncheck: t\n${more}`);
  const policy = (agent: string, more: string) =>
    define([of(agent, more)], facts).definition.onPermission;
  expect(policy('gemini', '')).toBe('deny');
  expect(policy('gemini', 'permissions: ask')).toBe('ask');
  expect(policy('gemini', 'permissions: ask\nonPermission: stop')).toBe('stop');
  expect(policy('opencode', 'onPermission: ask')).toBe('ask');
  expect(policy('claude', 'permissions: ask')).toBe('ask');
  expect(problems(of('codex', 'onPermission: ask'))).toMatchObject([
    {
      code: 'not_supported',
      message: 'codex cannot wait for your answer',
      where: 'pawl.yaml:3:15',
      found: 'permissions: workspace, onPermission: ask',
      next: 'onPermission: deny   or  an agent that asks: claude, opencode, gemini, qwen, copilot',
    },
  ]);
  const [asked] = problems(of('pi', 'onPermission: ask\npermissions: ask'));
  expect(asked?.message).toBe('pi never asks; pawl cannot hold it to `ask`');
  // One problem for one fault.
  expect(problems(of('codex', 'permissions: ask'))).toHaveLength(1);
  // Who is trusted asks for nothing.
  expect(problems(of('codex', 'onPermission: ask\npermissions: trusted'))).toEqual([]);
});

test('an agent that judges is held to the same, or refused (UX 1.5)', () => {
  const judged = (verify: string, more = '') =>
    problems(
      layer(
        `agents: { mine: { command: [m] } }\nroles: { execute: { agent: claude }, verify: { agent: ${verify}, profile: oracle } }\n${more}`,
      ),
    );
  const oracle = 'criteria: [{ oracle: ok }]';
  for (const verify of ['pi', 'mine']) {
    expect(judged(verify, oracle)).toMatchObject([
      {
        code: 'not_supported',
        message: `${verify} never asks; pawl cannot hold it to \`workspace\``,
      },
    ]);
    expect(judged(verify, `${oracle}\npermissions: trusted`)).toEqual([]);
    expect(judged(verify, 'check: t')).toEqual([]);
  }
  expect(judged('codex', oracle)).toEqual([]);
  expect(judged('codex', `${oracle}\npermissions: ask\nonPermission: deny`)).toMatchObject([
    { message: 'codex never asks; pawl cannot hold it to `ask`' },
  ]);
  expect(judged('nobody', oracle)).toMatchObject([{ code: 'agent_missing' }]);
});

test('own token names become the fixed ones (SL-75)', () => {
  const text =
    'agents: { m: { command: [m, "--file=<<p>>"], promptVar: "{file}" } }\nagent: m\ncheck: t'.replace(
      '<<p>>',
      '{file}',
    );
  expect(defined(layer(text)).roles.execute.command).toEqual(['m', '--file={prompt}']);
});

test('without a check a human looks, and the header says so (EV-65, ruling 2)', () => {
  const { definition, notes } = define([layer(agents)], facts);
  expect(definition.criteria).toEqual([{ kind: 'manual', look: facts.goal, timeoutMs: 600_000 }]);
  expect(notes[0]).toMatch(/^no check/);
});

test('what cannot be put back is said, not promised (UX 2.4, --isolation none)', () => {
  const text = `${agents}check: t\nonProtected: restore\n`;
  const { notes } = define([layer(`${text}workspace: { isolation: none }`)], facts);
  expect(notes).toEqual([expect.stringContaining('onProtected: restore cannot be had')]);
  expect(define([layer(text)], facts).notes).toEqual([]);
});

test('every kind of criterion is read (EV-17)', () => {
  const text = `${agents}criteria:
  - { test: t, expect: { testsRun: ">3" }, redFirst: true, timeout: 15m }
  - { build: b }
  - { lint: l }
  - { command: c, expect: { exit: 2 } }
  - { fileExists: f }
  - { oracle: o }
  - { observer: v }
  - { manual: m }
roles: { verify: { profile: oracle } }
`
    .replace('agent: mine\n', '')
    .replace('roles: { verify', 'roles: { execute: { agent: mine }, verify');
  expect(defined(layer(text)).criteria.map(({ kind }) => kind)).toEqual([
    'test',
    'build',
    'lint',
    'command',
    'fileExists',
    'oracle',
    'observer',
    'manual',
  ]);
  expect(defined(layer(text)).criteria[0]).toMatchObject({
    testsRunMoreThan: 3,
    redFirst: true,
    timeoutMs: 900_000,
  });
  expect(defined(layer(text)).criteria[3]).toMatchObject({ expectExit: 2 });
});

test('goal, criteria in words and as checks, attempts, agents and files to read are one record (EV-20)', () => {
  const text = `agents: { mine: { command: [m] }, other: { command: [o] } }
roles: { execute: { agent: mine }, verify: { agent: other, profile: oracle } }
criteria: [{ test: npm test }, { oracle: is it good? }]
brakes: { attempts: 7 }
context: [docs/dates.md]`;
  const definition = defined(layer(text));
  expect(definition.intent.originalIntent).toBe(facts.goal);
  expect(definition.intent.verificationPlan).toBe('npm test; oracle: is it good?');
  expect(definition.criteria.map(({ kind }) => kind)).toEqual(['test', 'oracle']);
  expect(definition.brakes.attempts).toBe(7);
  expect(definition.roles).toMatchObject({
    execute: { agent: 'mine' },
    verify: { agent: 'other' },
  });
  expect(definition.context).toEqual(['docs/dates.md']);
});

test('what a human asked, what was inferred, added and planned stay four fields (XP-7)', () => {
  const { intent } = defined(layer(`${agents}check: npm test`));
  expect(intent).toEqual({
    originalIntent: facts.goal,
    inferredGoal: null,
    addedContext: [],
    verificationPlan: 'npm test',
  });
});

test('a criterion of two kinds, or with a key of another, is refused where it stands', () => {
  const text = `${agents}criteria:\n  - { test: a, lint: b }\n  - { manual: m, redFirst: true }`;
  expect(problems(layer(text))).toMatchObject([
    { code: 'bad_value', where: 'pawl.yaml:4:5', found: 'test and lint' },
    { code: 'bad_value', where: 'pawl.yaml:5:5' },
  ]);
});

test('a snapshot is a layer again: what a retry does not override stays', () => {
  const before = defined(
    layer(
      `${agents}check: t\nsetup: npm ci\nbrakes: { time: 90m, cost: 3 }\nfileScope: [src/**]\nsecrets: { A: "env:A" }`,
    ),
  );
  const retried = define(
    [layer('criteria: [{ test: other }]', 'flags'), snapshotLayer(before, 'run 7k2m')],
    {
      ...facts,
      goal: null,
    },
  ).definition;
  expect(retried).toEqual({
    ...before,
    criteria: [{ ...before.criteria[0], command: 'other' }],
    intent: { ...before.intent, verificationPlan: 'other' },
  });
});

test.each([
  ['Make the date tests pass', 'make-the-date-tests-pass'],
  ['Größe prüfen!', 'gro-e-prufen'],
  ['a'.repeat(80), 'a'.repeat(32)],
  ['修复', 'run'],
  ['Make all of the many failing date tests pass again', 'make-all-of-the-many-failing'],
])('%s is called %s', (goal, name) => {
  expect(slug(goal)).toBe(name);
  expect(slug(goal).length).toBeLessThanOrEqual(32);
});

test('what a run is started with is kept, but for secrets and what the file gives itself', () => {
  const file =
    "env: { allow: [MODE, MY_TOKEN, SET], set: { SET: '1' } }\nsecrets: { X: 'env:X' }\n";
  const environment = { MODE: 'a', MY_TOKEN: 't', SET: '2', X: 'x', OTHER: 'o' };
  const { definition } = define([layer(`${agents}check: a\n${file}`)], { ...facts, environment });
  expect(definition.env.started).toEqual({ values: { MODE: 'a' }, withheld: ['MY_TOKEN'] });
});

test('the PATH of who starts a run is part of its definition, and of no layer', () => {
  const base = [layer(`${agents}check: a`)];
  expect(define(base, facts).definition.env).toEqual({ allow: [], set: {} });
  const { definition } = define(base, { ...facts, path: '/mine' });
  expect(definition.env.path).toBe('/mine');
  const again = define([snapshotLayer(definition, 'run 7k2m')], { ...facts, path: '/other' });
  expect(again.definition.env.path).toBe('/other');
});

test.each([
  ['../../x y', 'x-y'],
  ['My Run', 'my-run'],
  ['a--b', 'a-b'],
  ['-x', 'x'],
  ['', 'run'],
  ['x'.repeat(33), 'x'.repeat(32)],
])('a name that branch and folder could not have is refused, not bent: %j', (name, near) => {
  expect(() => define([layer(`${agents}check: npm test`)], { ...facts, name })).toThrow(
    'a name has at most 32',
  );
  const fits = { ...facts, name: near };
  expect(define([layer(`${agents}check: npm test`)], fits).definition.name).toBe(near);
});

test.each([
  ['agents: { mine: { command: [a, "{nope}"] } }\nagent: mine\ncheck: t', 'pawl.yaml:1:28', ''],
  [
    'agents: { mine: { command: [a] } }\nroles: { execute: { agent: mine, args: ["{promt}"] } }\ncheck: t',
    'pawl.yaml:2:40',
    'did you mean {prompt}?   ',
  ],
])(
  'a token that nobody fills in is refused with those that are (SL-76): %s',
  (yaml, where, near) => {
    const [problem] = problems(layer(yaml));
    expect(problem).toMatchObject({ code: 'bad_value', where });
    expect(problem?.message).toMatch(/^\{\w+\} is no token that pawl fills in$/);
    expect(problem?.allowed).toContain('{prompt} {prompt_content} {cwd} {model}');
    expect(problem?.next?.startsWith(`${near}put braces`)).toBe(true);
  },
);

test('names of tokens that an agent has of its own are known (SL-75)', () => {
  const own =
    'agents: { mine: { command: [a, "{file}"], promptVar: "{file}" } }\nagent: mine\ncheck: t';
  expect(defined(layer(own)).roles.execute.command).toEqual(['a', '{prompt}']);
});

test('whatever is wrong with a definition names what to type next', () => {
  const all = problems(
    layer(
      `${agents}criteria: [{ test: a, timeout: 0s }, { test: a, lint: b }, { manual: a, redFirst: true }]
roles: { execute: { profile: oracle } }
brakes: { time: 9d }
notify: { to: [nowhere] }`,
    ),
  );
  expect(all.length).toBe(6);
  for (const { found, next } of all) {
    expect(found ?? '').not.toBe('');
    expect(next).toContain('pawl');
  }
});

test.each([
  ['workspace: { copy: [.env, ../../x] }', 'workspace.copy[1]', 'leads out of the project'],
  ['workspace: { copy: [/etc/passwd] }', 'workspace.copy[0]', 'is absolute'],
  ['protected: ["["]', 'protected[0]', 'has an open bracket, so it fits nothing'],
  ['fileScope: [src/**, /abs]', 'fileScope[1]', 'is absolute'],
  ['context: [../../etc/passwd]', 'context[0]', 'leads out of the project'],
])('%s can mean nothing and is refused by its field', (text, field, what) => {
  const [problem] = problems(layer(`${agents}check: npm test\n${text}\n`));
  expect(problem).toMatchObject({ code: 'bad_value', message: `"${field}" ${what}` });
  expect(problem?.where).toContain('pawl.yaml');
});

test('a file outside the project cannot be a criterion; globs with brackets can be meant', () => {
  const outside = problems(layer(`${agents}criteria: [{ fileExists: ../x }]\n`));
  expect(outside).toMatchObject([{ message: '"fileExists" leads out of the project' }]);
  const fine = 'protected: ["src/[a-z[]*.{js,ts}", "package.json#scripts", "!(a|b)", "\\\\["]';
  expect(problems(layer(`${agents}check: npm test\n${fine}\n`))).toEqual([]);
});
