/**
 * A repository, an agent and a check. The agent of every third run is wrong at its first attempt;
 * each writes a line into a witness outside of pawl when it starts and when its work is done.
 */
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { binary } from './program.mjs';
import { say } from './say.mjs';

const atOnce = 3;

const agent = `
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { setTimeout as work } from 'node:timers/promises';
const [witness, name, wrongFirst] = process.argv.slice(2);
const { PAWL_ATTEMPT: attempt, PAWL_EXECUTION: execution, PAWL_ADAPTER: adapter } = process.env;
const tell = (what) =>
  appendFileSync(witness, [what, name, attempt, execution, adapter ?? ''].join(' ') + '\\n');
tell('start');
await work(3_000);
if (existsSync(witness + '.hold')) tell('held');
while (existsSync(witness + '.hold')) await work(200);
writeFileSync('answer.txt', attempt === '1' && wrongFirst === 'yes' ? '41\\n' : '42\\n');
tell('done');
`;
const check = `
import { readFileSync } from 'node:fs';
process.exit(readFileSync('answer.txt', 'utf8') === '42\\n' ? 0 : 1);
`;

export function makeProject({ root }, file = 'version: 1\n') {
  const directory = join(root, 'project');
  const witness = join(root, 'witness.txt');
  mkdirSync(directory);
  writeFileSync(join(directory, 'answer.txt'), '0\n');
  writeFileSync(join(directory, 'check.mjs'), check);
  writeFileSync(join(directory, 'pawl.yaml'), file);
  writeFileSync(join(root, 'agent.mjs'), agent);
  writeFileSync(witness, '');
  const git = (...args) => execFileSync('git', args, { cwd: directory, encoding: 'utf8' }).trim();
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git('-c', 'user.name=demo', '-c', 'user.email=demo@example.invalid', 'commit', '-qm', 'start');
  const told = () =>
    readFileSync(witness, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const [what, name, attempt, execution, adapter] = line.split(' ');
        return { what, name, attempt: Number(attempt), execution, adapter };
      });
  /** Agents that come to their end wait for as long as that file is there. */
  const hold = `${witness}.hold`;
  return { directory, git, told, agent: join(root, 'agent.mjs'), witness, hold };
}

export const nameOf = (n) => `run-${String(n + 1).padStart(2, '0')}`;
export const isWrongFirst = (n) => n % 3 === 0;

export async function startRuns(cluster, project, runs) {
  const start = async (n) => {
    const command = [process.execPath, project.agent, project.witness, nameOf(n)];
    const words = [...command, isWrongFirst(n) ? 'yes' : 'no'].join(' ');
    const line = ['run', `find answer ${n + 1}`, '--name', nameOf(n), '--agent-cmd', words];
    await typed(cluster, project, [...line, '--check', 'node check.mjs', '-d']);
  };
  const waiting = Array.from({ length: runs }, (_, n) => n);
  const line = async () => {
    for (let n = waiting.shift(); n !== undefined; n = waiting.shift()) await start(n);
  };
  await Promise.all(Array.from({ length: atOnce }, line));
  say(`${runs} runs are started`);
}

export const shown = async (cluster, project, name) =>
  JSON.parse(await typed(cluster, project, ['show', name, '--json']));

async function typed({ url, database, root, home, built = binary }, { directory }, line) {
  const asked = { PAWL_SERVER: url, PAWL_DATABASE: database };
  const env = { PATH: process.env.PATH, HOME: root, PAWL_HOME: home, ...asked };
  const options = { cwd: directory, env, maxBuffer: 1 << 24 };
  return (await promisify(execFile)(process.execPath, [built, ...line], options)).stdout;
}
