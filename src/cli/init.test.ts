/** Goal: `pawl init` in the words of UX 1.2; nothing is written that was not shown or asked. */
import { expect, test } from 'vitest';
import { commit, digest } from '../../test/support/example-run.ts';
import { type CliScript, typed } from '../../test/support/scripted-cli.ts';
import { dates, type ScriptedMachine } from '../../test/support/scripted-detection.ts';
import { scriptedIo } from '../../test/support/scripted-io.ts';
import { readLayer } from '../contract/layer.ts';
import type { CriterionResult } from '../ports/words.ts';
import type { BaselineReport } from './composition.ts';

const file = '/home/me/dates/pawl.yaml';
const machine: ScriptedMachine = {
  project: dates,
  agents: [
    ['claude', '2.1.332', 'yes'],
    ['codex', '0.171.0', 'unknown'],
  ],
};

function result(what: string, change: Partial<CriterionResult> = {}): CriterionResult {
  return {
    index: 0,
    kind: 'test',
    what,
    outcome: 'passed',
    score: null,
    reasons: [],
    suggestedFix: null,
    exit: 0,
    counts: null,
    durationMs: 4_000,
    executions: 1,
    flaky: false,
    output: digest('o'),
    ...change,
  };
}
const red: BaselineReport = {
  outcome: 'red',
  setup: 'done',
  summary: 'npm test fails (2 failed, 118 passed)',
  criteria: [
    result('npm run lint', { kind: 'lint' }),
    result('npm test', {
      outcome: 'failed',
      exit: 1,
      counts: { passed: 118, failed: 2, skipped: 0 },
      durationMs: 14_020,
    }),
  ],
  unrunnable: null,
  message: null,
};
const unrunnable: BaselineReport = {
  ...red,
  outcome: 'unrunnable',
  setup: 'none',
  criteria: [result('npm test', { outcome: 'failed', exit: 127 })],
  unrunnable: {
    what: 'npm test',
    found: 'exit 127: sh: vitest: not found',
    likely: 'no setup command, so no dependencies there',
  },
};

const init = (flags: readonly string[], script: CliScript = {}) =>
  typed(['init', ...flags], { machine, baseline: red, ...script });
const answering = (...answers: readonly string[]) => scriptedIo({ isTerminal: true, answers });

test('the interview shows what was found, asks, tries the base, and writes (UX 1.2)', async () => {
  const io = answering('', '', '?', '', '?', '', '?', '');
  const { exit, err, made } = await init([], { io, env: { NO_COLOR: '1', DISPLAY: ':0' } });
  expect({ exit, err, made }).toEqual({ exit: 0, err: '', made: [] });
  await expect(io.written()).toMatchFileSnapshot('../../test/golden/cli/init-100.txt');
  await expect(io.saved.get(file)).toMatchFileSnapshot('../../test/golden/cli/init-pawl.yaml.txt');
  expect([...io.saved.keys()]).toEqual([
    file,
    '/home/me/dates/.pawl/pawl.schema.json',
    '/home/me/dates/.pawl/.gitignore',
  ]);
  expect(io.saved.get('/home/me/dates/.pawl/.gitignore')).toBe('pawl.schema.json\n');
});

test.each([
  ['codex', 'workspace', 'this agent has nobody to ask; pawl cannot hold it to `ask`'],
  ['mine', 'trusted', 'an agent that is started as a command never asks; pawl cannot hold'],
])('what %s cannot be held to is no answer (UX 1.5)', async (agent, bracket, refusal) => {
  const io = answering('2', agent, 'ask', '', '', '');
  const { exit } = await init([], { io });
  expect(exit).toBe(0);
  expect(io.written()).toContain(`[${bracket}] › ask\n    ${refusal}`);
  expect(io.saved.get(file)).toContain(`permissions: ${bracket}\n`);
});

test('-y takes the answers in brackets and asks nothing', async () => {
  const { exit, io } = await init(['-y']);
  expect(exit).toBe(0);
  const reading = readLayer('pawl.yaml', io.saved.get(file) ?? '', 'project');
  expect(reading.ok && reading.layer.value).toEqual({
    version: 1,
    agent: 'claude',
    setup: 'npm ci',
    criteria: [
      { lint: 'npm run lint', redFirst: false },
      { test: 'npm test', redFirst: false },
    ],
    brakes: { attempts: 5, cost: 20, time: '8h' },
  });
});

test('where a desktop can be seen -y tells you there', async () => {
  const { io } = await init(['-y'], { env: { DISPLAY: ':0' } });
  expect(io.saved.get(file)).toContain('notify: { to: [ desktop ] }');
});

test('other answers are written as they were given', async () => {
  const io = answering(
    ...['2', 'mine --fast "{prompt}"', 'trusted', '$5, 3 attempts'],
    ...['ntfy', 'ntfy:https://ntfy.sh/mine', 'no'],
  );
  const { exit } = await init([], { io, machine: withEnv, ignored: ['.env'] });
  expect(exit).toBe(0);
  const reading = readLayer('pawl.yaml', io.saved.get(file) ?? '', 'project');
  expect(reading.ok && reading.layer.value).toMatchObject({
    agent: 'mine',
    agents: { mine: { command: ['mine', '--fast', '{prompt}'] } },
    check: 'npm test',
    permissions: 'trusted',
    brakes: { attempts: 3, cost: 5 },
    notify: { to: ['ntfy:https://ntfy.sh/mine'] },
  });
  expect(io.saved.get(file)).not.toContain('copy');
});

const withEnv: ScriptedMachine = {
  ...machine,
  project: { ...dates, environmentFiles: ['.env', '.env.shared'] },
};

test('an ignored .env is proposed for workspace.copy; a tracked one is not (L-G17)', async () => {
  const { out, io } = await init(['-y'], { machine: withEnv, ignored: ['.env'] });
  expect(out).toContain('left behind      .env is ignored by git');
  expect(io.saved.get(file)).toContain('workspace:\n  copy: [ .env ]\n');
});

test('run again it proposes only what is missing, shows the difference, and keeps the rest', async () => {
  const before = '# ours\nversion: 1\ncheck: npm test   # all of them\nsetup: npm ci\n';
  const io = scriptedIo({
    isTerminal: true,
    files: { [file]: before },
    answers: ['codex', '', '', '', ''],
  });
  const { exit, out } = await init([], { io });
  expect(exit).toBe(0);
  expect(out).not.toContain('Which checks');
  expect(out).toContain('+ agent: codex\n');
  expect(out).toContain('Write this?');
  expect(io.saved.get(file)).toContain(
    'check: npm test   # all of them\nsetup: npm ci\nagent: codex',
  );
});

test('a difference that is not wanted is not written', async () => {
  const files = { [file]: 'version: 1\ncheck: npm test\nsetup: npm ci\n' };
  const io = scriptedIo({ isTerminal: true, files, answers: ['codex', '', '', '', 'no'] });
  const { exit, err } = await init([], { io });
  expect({ exit, saved: io.saved.size }).toEqual({ exit: 2, saved: 0 });
  expect(err).toContain('nothing was written');
});

test('nothing is missing: nothing is tried and nothing is written', async () => {
  const first = await init(['-y']);
  const files = { [file]: first.io.saved.get(file) ?? '' };
  const { exit, out, io } = await init(['-y'], { io: scriptedIo({ files }) });
  expect({ exit, saved: io.saved.size }).toEqual({ exit: 0, saved: 0 });
  expect(out).toContain('pawl.yaml says everything that init asks; nothing is missing.');
  const anew = await init(['-y', '--force', '-c', 'make'], { io: scriptedIo({ files }) });
  expect(anew.io.saved.get(file)).toContain('check: make');
});

test('--print writes nothing, and the file alone reaches stdout', async () => {
  const { exit, out, err, io } = await init(['--print']);
  expect({ exit, saved: io.saved.size }).toEqual({ exit: 0, saved: 0 });
  expect(readLayer('pawl.yaml', out, 'project').ok).toBe(true);
  expect(err).toContain('Looking at /home/me/dates');
});

test('--json is one object with what was found and written (L-I10)', async () => {
  const { exit, out, err } = await init(['-y', '--json']);
  expect({ exit, err }).toEqual({ exit: 0, err: '' });
  expect(JSON.parse(out)).toMatchObject({
    schema: 'pawl.init/1',
    detected: {
      setup: { command: 'npm ci' },
      checks: [{ command: 'npm run lint' }, { command: 'npm test' }],
      agents: [{ name: 'claude', version: '2.1.332', login: 'yes' }, { name: 'codex' }],
    },
    config: { agent: 'claude' },
    baseline: { outcome: 'red', checks: [{ outcome: 'passed' }, { counts: { failed: 2 } }] },
    written: [file, expect.stringContaining('.gitignore'), expect.stringContaining('schema')],
  });
});

test('without a terminal and without -y nobody is asked and nothing is written', async () => {
  for (const flags of [[], ['--json'], ['--no-input']]) {
    const { exit, io } = await init(flags);
    expect({ exit, saved: io.saved.size }).toEqual({ exit: 2, saved: 0 });
  }
});

test('no agent installed: the known ones with their install commands, and the demo (UX 1.5)', async () => {
  const { exit, err, io } = await init(['-y'], { machine: { project: dates } });
  expect({ exit, saved: io.saved.size }).toEqual({ exit: 2, saved: 0 });
  expect(err).toContain('error[agent_missing]: no agent is named, and no known one is installed');
  expect(err).toContain('npm i -g @anthropic-ai/claude-code');
  expect(err).toContain('pawl demo');
});

test('a base that cannot run is refused word for word, and nothing is written (UX 4.4-4, L-G18)', async () => {
  const { exit, err, io } = await init(['-y', '--setup', 'none'], { baseline: unrunnable });
  expect({ exit, saved: io.saved.size }).toEqual({ exit: 2, saved: 0 });
  expect(
    err,
  ).toBe(`error[check_unrunnable]: "npm test" cannot run in a clean checkout of main@3333333
  found        exit 127: sh: vitest: not found     (likely: no setup command, so no dependencies there)
  next         --setup "npm ci"  (found: package-lock.json);   pawl checks --setup "npm ci" --run  tries it
`);
});

test('on a terminal a base that cannot run is asked about, with no as the default', async () => {
  const no = answering('', '', '', '', '', '');
  expect((await init([], { io: no, baseline: unrunnable })).exit).toBe(2);
  expect(no.saved.size).toBe(0);
  const yes = answering('', '', '', '', '', 'yes');
  expect((await init([], { io: yes, baseline: unrunnable })).exit).toBe(0);
  expect(yes.saved.get(file)).toContain('npm ci');
});

test('a base on which all passes is said to prove nothing, word for word (UX 4.4-3)', async () => {
  const green = { ...red, outcome: 'green', criteria: [result('npm test')] } as const;
  const { exit, out } = await init(['-y'], { baseline: green });
  expect(exit).toBe(0);
  expect(out).toContain(`warning[check_green]: "npm test" already passes on main@3333333
  so           it guards against breaking things, but cannot prove this goal; a manual look is added at the end
  next         add a check that fails now (--check …)   or  --baseline green-ok   or  criteria[].redFirst
`);
});

test('a folder without git is offered a repository; -y alone is refused (UX 1.5, 4.4-9)', async () => {
  const checkout = { git: false } as const;
  const { exit, err } = await init(['-y'], { checkout });
  expect(exit).toBe(2);
  expect(err).toContain('error[not_git]');
  const { made, io } = await init([], { checkout, io: answering('g', '', '', '', '', '') });
  expect(made).toEqual(['repository']);
  expect(io.written()).toContain('[g]it init and a first commit of everything here');
});

test('an interview that is left writes nothing', async () => {
  const io = answering('');
  const { exit, err } = await init([], { io });
  expect({ exit, saved: io.saved.size }).toEqual({ exit: 2, saved: 0 });
  expect(err).toContain('error[no_answer]: not answered: Which agent does the work?');
});

test('checks ends with what to type next (UX 0.3)', async () => {
  const { out } = await typed(['checks'], { machine });
  expect(out).toMatch(/\nNext: {2}pawl checks --run {2}tries them on the base commit\n$/);
  const tried = await typed(['checks', '--run'], { machine, baseline: red });
  expect(tried.out).toMatch(/\nNext: {2}pawl run "make the failing tests pass"\n$/);
});

test('checks shows what is found, and with --run what the base says', async () => {
  const found = await typed(['checks'], { machine });
  expect(found.out).toContain('1 npm run lint     (package.json scripts.lint)');
  const tried = await typed(['checks', '--run', '--json'], { machine, baseline: red });
  expect(JSON.parse(tried.out)).toMatchObject({
    schema: 'pawl.checks/1',
    detected: { cwd: '', setup: { command: 'npm ci' } },
    baseline: { outcome: 'red' },
  });
  const refused = await typed(['checks', '--run'], { machine, baseline: unrunnable });
  expect(refused.exit).toBe(2);
  expect(refused.err).toContain(`main@${commit('3').slice(0, 7)}`);
});

const there = { '/home/me/dates/pawl.yaml': 'version: 1\nagent: claude\ncheck: npm test\n' };

test.each([
  [['--check', 'make test'], 'its checks already; --check would change nothing', 'npm test'],
  [['--agent', 'codex'], 'its agent already; --agent would change nothing', 'claude'],
  [['--agent-cmd', 'mine -x'], 'its agent already; --agent-cmd would change nothing', 'claude'],
])(
  'a flag that says otherwise than the file is not dropped in silence: %j',
  async (flags, why, found) => {
    const { exit, err, io } = await init(['-y', ...flags], { terminal: { files: there } });
    expect(exit).toBe(2);
    expect(err).toContain(`error[usage]: pawl.yaml says ${why}`);
    expect(err).toContain(`found        ${found}`);
    expect(err).toContain('or  pawl init --force -y --');
    expect(io.saved.size).toBe(0);
    expect((await init(['-y', '--check', 'npm test'], { terminal: { files: there } })).exit).toBe(
      0,
    );
  },
);

test('outside of git the way without it is one that can be typed (UX 4.4-9)', async () => {
  const { exit, err } = await init(['-y', '--agent-cmd', 'x'], { checkout: { git: false } });
  expect(exit).toBe(2);
  expect(err).toContain('or  pawl run "…" --isolation none  does without');
});

test('asking what a question means is no wrong answer (UX 1.2)', async () => {
  const io = answering('?', '?', '?', '?', '', '', '', '', '', '', '');
  const { exit, out } = await init([], { io });
  expect(exit).toBe(0);
  expect(out.match(/these of the list above/g)).toHaveLength(4);
  const wrong = answering('9', '9', '9');
  const { err } = await init([], { io: wrong });
  expect(err).toContain('next         pawl init   or  pawl init -y  takes what stands in brackets');
});

test('no check and nobody asked: it is said that runs will be manual (UX 1.5)', async () => {
  const none = { ...machine, project: { ...dates, checks: [] } };
  const { out } = await init(['-y'], { machine: none });
  expect(out).toContain('no check         runs will be manual: each waits for you to look');
  expect((await init(['-y'])).out).not.toContain('manual');
});
