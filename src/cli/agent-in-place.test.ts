/**
 * Goal: a program that is not there starts no run; what only shows where a lane runs is left to it.
 */
import { expect, test } from 'vitest';
import { exampleView } from '../../test/support/example-run.ts';
import { type CliScript, typed } from '../../test/support/scripted-cli.ts';
import { scriptedClient } from '../../test/support/scripted-client.ts';
import { scriptedIo } from '../../test/support/scripted-io.ts';
import type { Instant } from '../ports/words.ts';
import type { KnownWorker } from '../ports/worker-registry.ts';

const gone = '/opt/nope/agent';
const machine = { missing: [gone, 'nope', 'claude'] };
const written = (text: string) => scriptedIo({ files: { '/home/me/dates/pawl.yaml': text } });

async function run(line: readonly string[], script: CliScript = {}) {
  const client = scriptedClient([]);
  const all = ['run', 'g', '-d', '-c', 'x', ...line];
  const { exit, err } = await typed(all, { machine, client, ...script });
  const isStarted = client.calls.some(({ verb }) => verb === 'start');
  return { exit, err, isStarted };
}

test('a path at which there is no program is refused before anything is made', async () => {
  const { exit, err, isStarted } = await run(['--agent-cmd', `${gone} {prompt}`]);
  expect({ exit, isStarted }).toEqual({ exit: 2, isStarted: false });
  expect(err).toBe(`error[agent_missing] --agent-cmd: there is no program "${gone}"
  found        no file at that path
  allowed      a program by its path, or by its name where it is on PATH
  next         pawl run … --agent-cmd "…"   or  pawl doctor  (it shows the agents that are here)
`);
});

test('so is a file that may not be run, and a name that is nowhere on PATH', async () => {
  const blocked = { ...machine, blocked: gone };
  expect((await run(['--agent-cmd', gone], { machine: blocked })).err).toBe(
    `error[agent_missing] --agent-cmd: the agent "${gone}" cannot be run
  found        ${gone}, which is not executable
  next         chmod +x ${gone}
`,
  );
  const { err, isStarted } = await run(['--agent-cmd', 'nope']);
  expect(err).toContain('error[agent_missing] --agent-cmd: the agent "nope" is not installed');
  expect(isStarted).toBe(false);
});

test.each([
  ['command', `agents: { mine: { command: [${gone}, "{prompt}"] } }`],
  ['acp', `agents: { mine: { acp: [${gone}] } }`],
])('an agent of a file is named by its key: %s', async (key, agents) => {
  const io = written(`${agents}\nroles: { execute: { agent: mine } }\n`);
  const { exit, err } = await run([], { io });
  expect([exit, err.split('\n')[0]]).toEqual([
    2,
    `error[agent_missing] agents.mine.${key}: there is no program "${gone}"`,
  ]);
});

test('the agent that judges is looked for too, and one that no role has is not', async () => {
  const judge = `agents: { judge: { command: [${gone}] } }\n`;
  const line = ['--agent-cmd', 'sh -c true', '--oracle', 'is it good?'];
  const used = await run([...line, '--verify-agent', 'judge'], { io: written(judge) });
  expect(used.err).toContain(`there is no program "${gone}"`);
  expect((await run(['--agent-cmd', 'sh -c true'], { io: written(judge) })).exit).toBe(0);
});

test.each(['./agent.sh', 'node_modules/.bin/x', '../x', `sh -c "${gone}"`])(
  'what a setup may make in the tree, or only a shell knows, is not judged: %s',
  async (command) => {
    const missing = ['./agent.sh', 'node_modules/.bin/x', '../x', gone];
    const { exit, isStarted } = await run(['--agent-cmd', command], { machine: { missing } });
    expect({ exit, isStarted }).toEqual({ exit: 0, isStarted: true });
  },
);

test('the PATH that the definition gives its lanes is the one that is looked along', async () => {
  const along = { path: '/opt/bin', programs: ['nope'] };
  const io = () => written('env: { set: { PATH: /opt/bin } }\n');
  const there = await run(['--agent-cmd', 'nope'], { io: io(), machine: { ...machine, along } });
  expect(there).toMatchObject({ exit: 0, isStarted: true });
  const empty = { ...machine, along: { path: '/opt/bin', programs: [] } };
  const { err } = await run(['--agent-cmd', 'other'], { io: io(), machine: empty });
  expect(err).toContain('the agent "other" is not installed');
  expect(err).toContain('(looked on PATH: /opt/bin)');
});

test('a retry is judged as a run is', async () => {
  const client = scriptedClient([exampleView({ status: 'cancelled', phase: null })]);
  const line = ['retry', '7k2m', '-d', '--agent-cmd', gone];
  const { exit, err } = await typed(line, { client, machine });
  expect([exit, err.split('\n')[0]]).toEqual([
    2,
    `error[agent_missing] --agent-cmd: there is no program "${gone}"`,
  ]);
  expect(client.calls.map(({ verb }) => verb)).not.toContain('retry');
});

const box: KnownWorker = {
  ...{ id: 'w-box', name: 'box', labels: [], slots: 1, busy: 0, state: 'enrolled' },
  ...{ enrolledAt: 1 as Instant, seenAt: 1 as Instant, capabilities: ['agent:command'] },
};
const having = (...workers: readonly KnownWorker[]): Partial<CliScript> => {
  const absent = () => Promise.reject(new Error('not part of this test'));
  const registry = async () => ({ enroll: absent, list: async () => workers, revoke: absent });
  return { worker: { registry } };
};

test('where the lane may run on a worker, what that machine has counts', async () => {
  const line = ['--agent-cmd', gone];
  expect((await run([...line, '--server', 'https://h:1'])).exit).toBe(0);
  expect((await run(line, having(box))).exit).toBe(0);
  expect((await run(line, having({ ...box, state: 'gone' }))).exit).toBe(2);
  expect((await run(['--agent', 'claude'], having(box))).exit).toBe(2);
  const able = { ...box, capabilities: ['agent:claude'] };
  expect((await run(['--agent', 'claude'], having(able))).exit).toBe(0);
  const labelled = written('labels: [gpu]\n');
  expect((await run(line, { io: labelled })).exit).toBe(0);
});
