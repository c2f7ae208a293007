/**
 * Goal: another machine does the work of a server, with neither its disk nor its database; what is
 * killed there loses nothing and costs no attempt.
 * Method: the built program as real processes, server and worker each with a state folder of its
 * own; the server starts nothing by itself.
 */
import { readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { project } from '../support/answer-project.ts';
import { type Pawl, pawl, type Started } from '../support/pawl.ts';
import { signal, until } from '../support/processes.ts';
import { type Served, serve } from '../support/served.ts';

let own: Pawl;
let other: Pawl;
let server: Served;
let worker: Started;

const typed = (directory: string, line: readonly string[]) =>
  own.run(line, { cwd: directory, env: { PAWL_SERVER: server.url } });

beforeAll(async () => {
  own = pawl();
  other = pawl();
  server = await serve(own, ['--elsewhere']);
  const enrolled = await own.onTerminal(['worker', 'enroll', '--json']);
  const { code } = enrolled.json() as { readonly code: string };
  worker = other.start(['worker', '--server', server.url, '--code', code], {
    env: { WORKER_SECRET: 'of-this-worker-alone' },
    timeoutMs: 300_000,
  });
}, 120_000);

afterAll(async () => {
  worker.child.kill('SIGTERM');
  await worker.finished;
  server.started.child.kill('SIGTERM');
  await server.started.finished;
  await other.close();
  await own.close();
}, 60_000);

test('a run is prepared, worked at and verified elsewhere, and its work arrives (XP-2, XP-12, XP-26, XP-29)', async () => {
  const work = project(own.root);
  const ran = await typed(work.directory, [...work.run, '--name', 'answer']);
  expect(ran.exit, ran.stdout + ran.stderr).toBe(0);
  expect(work.starts().map(({ attempt }) => attempt)).toEqual([1, 2]);
  const shown = (await typed(work.directory, ['show', 'answer', '--json'])).json();
  expect(shown).toMatchObject({ status: 'complete', verification: 'passed' });
  expect(work.git('show', `${shown['branch']}:answer.txt`)).toBe('42');
  const receipt = await own.run(['show', 'answer', '--receipt', '--json'], { cwd: work.directory });
  const file = join(own.root, 'receipt.json');
  writeFileSync(file, receipt.stdout);
  const verified = await own.run(['artifact', 'verify', file], { cwd: work.directory });
  expect([verified.exit, verified.stderr], verified.stdout).toEqual([0, '']);
  expect(verified.stdout).toMatch(/signer +worker .* enrolled\n.*signature/);
  const here = own.processes().filter(({ command }) => /lane-host|check-host/.test(command));
  expect(here).toEqual([]);
}, 120_000);

test('a council about a parked run stands in its work elsewhere, and what it says arrives (EV-7, XP-2)', async () => {
  const root = join(own.root, 'state');
  const work = project(root);
  const agent = join(own.root, 'adviser.sh');
  const said = 'echo "it is $(cat answer.txt)"';
  writeFileSync(
    agent,
    `if grep -q 'one of a council'; then ${said}; else echo 41 > answer.txt; fi`,
  );
  const line = ['run', 'find it', '--agent-cmd', `sh ${agent}`, '--check', 'node check.mjs'];
  const ran = await typed(work.directory, [...line, '-n', '1', '--name', 'asked']);
  expect(ran.exit, ran.stdout + ran.stderr).toBe(3);
  const made = await own.onTerminal(['operator', 'token', '--scope', 'consult', '--json']);
  const env = { PAWL_SERVER: server.url, PAWL_OPERATOR_TOKEN: String(made.json()['secret']) };
  const asked = await own.run(['consult', 'asked', '--profiles', 'oracle,test', '--json'], {
    cwd: work.directory,
    env,
  });
  expect(asked.exit, asked.stdout + asked.stderr).toBe(0);
  expect(asked.json()).toMatchObject({
    status: 'needs_operator',
    opinions: [{ text: 'it is 41' }, { profile: 'test', text: 'it is 41' }],
  });
  const here = own.processes().filter(({ command }) => /lane-host/.test(command));
  expect(here).toEqual([]);
}, 120_000);

test('a worker that is killed with its host goes on when it is back: same attempt, once (XP-3, XP-22, XP-23, PL-84)', async () => {
  const work = project(join(own.root, 'user'));
  const holds = join(own.root, 'holds');
  const starts = join(own.root, 'starts');
  const agent = join(own.root, 'agent.sh');
  writeFileSync(holds, '');
  writeFileSync(starts, '');
  writeFileSync(
    agent,
    `echo "$PAWL_ATTEMPT" >> ${starts}
[ -z "$WORKER_SECRET" ] || echo leaked >> ${starts}
while [ -e ${holds} ]; do sleep 0.1; done
echo 42 > answer.txt
`,
  );
  const line = ['run', 'find it', '--agent-cmd', `sh ${agent}`, '--check', 'node check.mjs'];
  const started = await typed(work.directory, [...line, '--name', 'killed', '-d']);
  expect(started.exit, started.stderr).toBe(0);
  const lane = () => other.processes().filter(({ command }) => command.includes(agent));
  expect(await until(() => lane().length > 0, 60_000)).toBe(true);
  const killed = other.processes().filter(({ command }) => /pawl\.cjs|host/.test(command));
  for (const one of killed) signal(one, 'SIGKILL');
  await worker.finished;
  expect(await until(() => lane().length === 0, 20_000)).toBe(true);
  unlinkSync(holds);
  worker = other.start(['worker', '--server', server.url], { timeoutMs: 300_000 });
  const waited = await typed(work.directory, ['wait', 'killed', '--timeout', '90s']);
  expect(waited.exit, waited.stdout + waited.stderr).toBe(0);
  const shown = (await typed(work.directory, ['show', 'killed', '--json'])).json();
  expect(shown).toMatchObject({ status: 'complete', attempt: { n: 1 } });
  expect(readFileSync(starts, 'utf8')).toBe('1\n1\n');
}, 180_000);
