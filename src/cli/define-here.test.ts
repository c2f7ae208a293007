/** Goal: what is in the way of a run is said, offered or asked before anything is spent. */
import { expect, test } from 'vitest';
import { commit, exampleView } from '../../test/support/example-run.ts';
import { type CliScript, typed } from '../../test/support/scripted-cli.ts';
import { type ScriptedClient, scriptedClient } from '../../test/support/scripted-client.ts';
import { dates } from '../../test/support/scripted-detection.ts';
import { scriptedIo } from '../../test/support/scripted-io.ts';
import type { StartRequest } from '../ports/client.ts';

const bare = ['run', 'make it pass', '--agent-cmd', 'a', '-d'];
const machine = { project: dates };
const started = (client: ScriptedClient): StartRequest['definition'] => {
  const start = client.calls.find(({ verb }) => verb === 'start')?.details[0] as StartRequest;
  return start.definition;
};
const go = (line: readonly string[], script: CliScript = {}) =>
  typed(line, { client: scriptedClient([]), machine, ...script });
const answering = (...answers: readonly string[]) => scriptedIo({ isTerminal: true, answers });

test('several checks and nobody to ask: refused with their names, none is chosen (UX 1.3)', async () => {
  const { exit, err, client } = await go(bare);
  expect({ exit, calls: client.calls }).toEqual({ exit: 2, calls: [] });
  expect(err).toBe(`error[several_checks]: 2 checks were found, and none is chosen silently
  found        npm run lint  (package.json scripts.lint)
               npm test  (package.json scripts.test)
  next         --check "npm run lint" --check "npm test"   or some of them   or  -y  (all)
`);
});

test('on a terminal only the first question is asked, below the same facts (UX 1.2)', async () => {
  const io = answering('2');
  const { client } = await go(bare, { io });
  expect(io.written()).toContain('Looking at /home/me/dates (git, main@3333333, clean)');
  expect(io.written().match(/›/g)).toHaveLength(1);
  expect(started(client)).toMatchObject({
    criteria: [{ kind: 'test', command: 'npm test' }],
    workspace: { setup: { command: 'npm ci' } },
  });
});

test('-y takes them all; one alone is taken and shown', async () => {
  expect(started((await go([...bare, '-y'])).client).criteria).toHaveLength(2);
  const one = { project: { ...dates, checks: dates.checks?.slice(1) ?? [] } };
  const { client, out } = await go(bare, { machine: one });
  expect(started(client).criteria).toMatchObject([{ command: 'npm test' }]);
  expect(out).toContain('1 npm test');
});

test('on a terminal too, -y and --no-input mean that nobody is asked (UX 0.3)', async () => {
  const yes = await go([...bare, '-y'], { io: answering('2') });
  expect(started(yes.client).criteria).toHaveLength(2);
  expect(yes.io.written()).not.toContain('›');
  const silent = await go([...bare, '--no-input'], { io: answering('2') });
  expect(silent.err).toContain('error[several_checks]');
});

test('a setup that was detected is told as a note, one that was given is not', async () => {
  const told = [...bare, '-c', 'npm test', '--dry-run'];
  expect((await go(told)).out).toContain(
    'note: setup npm ci (found: package-lock.json); --setup none does without',
  );
  expect((await go([...told, '--setup', 'make deps'])).out).not.toContain('note: setup');
});

test('setup is detected beside checks that are told, and --setup none does without (L-G18)', async () => {
  const told = [...bare, '-c', 'npm test'];
  const { client, out } = await go(told);
  expect(started(client).workspace.setup).toMatchObject({ command: 'npm ci' });
  expect(out).not.toContain('Looking at');
  expect(started((await go([...told, '--setup', 'none'])).client).workspace.setup).toBeNull();
  const yaml = 'check: x\nagents: { a: { command: [a] } }\nagent: a\nsetup: make deps\n';
  const io = scriptedIo({ files: { '/home/me/dates/pawl.yaml': yaml } });
  const own = await go(['run', 'g', '-d'], { io });
  expect(started(own.client).workspace.setup).toMatchObject({ command: 'make deps' });
});

test('no check found: on a terminal one can be typed; elsewhere a human looks (EV-45, EV-65)', async () => {
  const none = { project: { ...dates, checks: [] } };
  const typedOne = await go(bare, { machine: none, io: answering('make verify') });
  expect(started(typedOne.client).criteria).toMatchObject([{ command: 'make verify' }]);
  expect(started((await go(bare, { machine: none })).client).criteria).toMatchObject([
    { kind: 'manual', look: 'make it pass' },
  ]);
});

test('--manual and --oracle are checks: nothing is asked beside them', async () => {
  expect(started((await go([...bare, '--manual'])).client).criteria).toMatchObject([
    { kind: 'manual' },
  ]);
});

test.each([
  ['b', commit('3'), false],
  ['i', commit('5'), true],
] as const)('a dirty tree on a terminal is asked about: [%s]', async (answer, base, included) => {
  const io = answering(answer, '');
  const { client } = await go(bare, { io, checkout: { dirty: ['a', 'b', 'c', 'd'] } });
  expect(io.written()).toContain(
    "4 changed files are not in main@3333333. [b]ase on HEAD without them · [i]nclude them (a snapshot commit on the run's branch; your checkout stays as it is) · [q]uit",
  );
  expect(started(client).source).toMatchObject({ base, includeChanges: included });
});

test('a dirty tree that is left with q is refused with the words of UX 4.4-5', async () => {
  const checkout = { dirty: ['a'] };
  const { exit, err, client } = await go(bare, { io: answering('q'), checkout });
  expect({ exit, calls: client.calls }).toEqual({ exit: 2, calls: [] });
  expect(err).toContain('error[dirty_tree]: 1 changed file is not in the base commit');
});

test('no git on a terminal: without it when asked so, said loudly, and no setup in your own folder', async () => {
  const { client, made } = await go(bare, { io: answering('n', ''), checkout: { git: false } });
  expect(made).toEqual([]);
  expect(started(client)).toMatchObject({
    source: { isolation: 'none', base: null },
    workspace: { setup: null },
  });
});

test('no commit on a terminal: an empty first one is offered, not made unasked', async () => {
  const left = await go(bare, { io: answering('q'), checkout: { head: null } });
  expect({ exit: left.exit, made: left.made }).toEqual({ exit: 2, made: [] });
  expect(left.err).toContain('error[no_commit]');
});

test('an agent that is nowhere on PATH is refused before anything is spent (UX 4.4-1, L-O5)', async () => {
  const missing = {
    ...machine,
    missing: ['claude'],
    agents: [
      ['codex', '0.171.0', 'unknown'],
      ['opencode', '1.18.33', 'unknown'],
    ] as const,
  };
  for (const agent of [
    ['--agent', 'claude'],
    ['--agent-cmd', 'claude -p'],
  ]) {
    const line = ['run', 'g', '-d', '-c', 'x', ...agent];
    const { exit, err, client } = await go(line, { machine: missing });
    expect({ exit, calls: client.calls }).toEqual({ exit: 2, calls: [] });
    expect(err).toBe(`error[agent_missing]: the agent "claude" is not installed
  found        codex 0.171.0, opencode 1.18.33     (looked on PATH: /usr/local/bin, /usr/bin)
  next         pawl run … --agent codex        or  npm i -g @anthropic-ai/claude-code
`);
  }
});

test('where a server does the work this machine needs no agent', async () => {
  const line = ['run', 'g', '-d', '-c', 'x', '--agent', 'claude', '--server', 'https://h:1'];
  const { exit, err } = await go(line, { machine: { ...machine, missing: ['claude'] } });
  expect([exit, err.includes('agent_missing')]).toEqual([0, false]);
});

test('an agent whose file may not be run is told as that', async () => {
  const blocked = { ...machine, missing: ['claude'], blocked: '/usr/local/bin/claude' };
  const line = ['run', 'g', '-d', '-c', 'x', '--agent', 'claude'];
  const { exit, err } = await go(line, { machine: blocked });
  expect(exit).toBe(2);
  expect(err).toBe(`error[agent_missing]: the agent "claude" cannot be run
  found        /usr/local/bin/claude, which is not executable
  next         chmod +x /usr/local/bin/claude
`);
});

test('no agent named: those that are installed are offered as commands', async () => {
  const some = { ...machine, agents: [['codex', '0.171.0', 'yes']] as const };
  const { err } = await go(['run', 'g', '-c', 'x'], { machine: some });
  expect(err).toContain('error[agent_missing]: no agent is named');
  expect(err).toContain('--agent codex   or  pawl init');
});

test('an agent that is not logged in is refused before anything is spent (UX 4.4-2)', async () => {
  const out = { ...machine, agents: [['claude', '2.1.332', 'no']] as const };
  const line = ['run', 'g', '-d', '-c', 'x', '--agent-cmd', 'claude -p'];
  const { exit, err, client } = await go(line, { machine: out });
  expect({ exit, calls: client.calls }).toEqual({ exit: 2, calls: [] });
  expect(err).toBe(`error[agent_login]: claude is installed but not logged in
  found        none of ~/.claude/.credentials.json, ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN, CLAUDE_CODE_OAUTH_TOKEN
  next         run claude once and log in      or  a key with secrets.ANTHROPIC_API_KEY
`);
  const keyed = 'secrets: { ANTHROPIC_API_KEY: "env:MY_KEY" }\n';
  const io = scriptedIo({ files: { '/home/me/dates/pawl.yaml': keyed } });
  expect((await go(line, { machine: out, io })).exit).toBe(0);
});

test('a retry asks for the login of its agent as a run does (UX 4.4-2)', async () => {
  const out = { ...machine, agents: [['claude', '2.1.332', 'no']] as const };
  const client = scriptedClient([exampleView({ status: 'cancelled', phase: null })]);
  const { exit, err } = await go(['retry', '7k2m', '-d', '--agent', 'claude'], {
    client,
    machine: out,
  });
  expect(exit).toBe(2);
  expect(client.calls.map(({ verb }) => verb)).not.toContain('retry');
  expect(err).toContain('error[agent_login]: claude is installed but not logged in');
});

test('what git ignores is noted at the start', async () => {
  const some = { project: { ...dates, environmentFiles: ['.env'] } };
  const line = ['run', 'g', '-c', 'x', '--agent-cmd', 'codex exec -', '--dry-run', '-d'];
  const { out } = await go(line, { machine: some, ignored: ['.env'] });
  expect(out).toContain('note: ignored by git and left behind: .env (workspace.copy: [.env]');
});
