/**
 * Goal: two servers over one PostgreSQL, which have nothing else in common; one is killed while a
 * run works, and the other goes on.
 * Method: a real database and the built program as real processes, on free ports of this machine,
 * each server with a state folder of its own.
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Project, project } from '../support/answer-project.ts';
import { type Pawl, pawl } from '../support/pawl.ts';
import { emptyStore, type PostgresServer, startPostgres } from '../support/postgres.ts';
import { raw, type Served, serve } from '../support/served.ts';

let database: PostgresServer;
let own: Pawl;
let other: Pawl;
let address: string;
let work: Project;
let first: Served;
let second: Served;

beforeAll(async () => {
  database = await startPostgres();
  own = pawl();
  work = project(own.root);
  other = pawl();
  address = await emptyStore(database.url);
  const store = ['--database', address];
  first = await serve(own, store);
  second = await serve(other, store);
}, 120_000);
afterAll(async () => {
  second.started.child.kill('SIGTERM');
  await second.started.finished;
  await other.close();
  await own.close();
  await database.stop();
});

test('neither a lane nor a check has the address of the database, even when it is allowed', async () => {
  const seen = join(own.root, 'seen');
  writeFileSync(join(work.directory, 'pawl.yaml'), 'version: 1\nenv: { allow: [PAWL_DATABASE] }\n');
  const line = ['run', 'look', '--name', 'look', '--baseline', 'skip', '--include-changes'];
  const agent = join(own.root, 'look.sh');
  writeFileSync(agent, `env > ${seen}.lane\ntouch looked\n`);
  const check = `env > ${seen}.check`;
  const ran = await own.run([...line, '--agent-cmd', `sh ${agent}`, '--check', check], {
    cwd: work.directory,
    env: { PAWL_SERVER: first.url },
  });
  rmSync(join(work.directory, 'pawl.yaml'));
  expect(ran.exit, ran.stdout + ran.stderr).toBe(0);
  for (const part of ['lane', 'check']) {
    const env = readFileSync(`${seen}.${part}`, 'utf8');
    expect(env).toContain('PATH=');
    expect(env).not.toMatch(/PAWL_DATABASE|postgres/);
  }
}, 120_000);

test('a token that was made at one works at the other, until it is revoked at any', async () => {
  const env = { PAWL_DATABASE: address };
  const line = ['operator', 'token', '--for', '1h', '--scope', 'approve', '--json'];
  const made = (await own.onTerminal(line, { env })).json() as { id: string; secret: string };
  const status = (server: Served) => {
    const asked = { PAWL_SERVER: server.url, PAWL_OPERATOR_TOKEN: made.secret };
    return own.run(['status', '--json'], { cwd: work.directory, env: asked });
  };
  for (const server of [first, second]) {
    const { exit, stderr } = await status(server);
    expect(exit, stderr).toBe(0);
  }
  const wrong = { PAWL_SERVER: second.url, PAWL_OPERATOR_TOKEN: `${made.secret.slice(0, -3)}xyz` };
  expect((await own.run(['status'], { cwd: work.directory, env: wrong })).stderr).toContain(
    'token_refused',
  );
  const revoked = await other.onTerminal(['operator', 'revoke', made.id], { env });
  expect(revoked.exit, revoked.stdout).toBe(0);
  for (const server of [first, second]) expect((await status(server)).exit).not.toBe(0);
}, 60_000);

test('a worker that was enrolled at one claims at the other, and its work is read through the first', async () => {
  const [one, two, away] = [pawl(), pawl(), pawl()];
  const env = { PAWL_DATABASE: await emptyStore(database.url) };
  const elsewhere = ['--elsewhere', '--database', env.PAWL_DATABASE];
  const servers = [await serve(one, elsewhere), await serve(two, elsewhere)] as const;
  const enrolled = await one.onTerminal(['worker', 'enroll', '--json'], { env });
  const { code } = enrolled.json() as { readonly code: string };
  const worker = away.start(['worker', '--server', servers[1].url, '--code', code], {
    timeoutMs: 200_000,
  });
  const task = project(one.root);
  const [cwd, asked] = [task.directory, { ...env, PAWL_SERVER: servers[0].url }];
  const ran = await one.run([...task.run, '--name', 'away'], { cwd, env: asked });
  expect(ran.exit, ran.stdout + ran.stderr).toBe(0);
  // The worker has put it through the second, and the first has never had a folder for it.
  const receipt = await one.run(['show', 'away', '--receipt', '--json'], { cwd, env: asked });
  const file = join(one.root, 'receipt.json');
  writeFileSync(file, receipt.stdout);
  const verified = await two.run(['artifact', 'verify', file], { cwd, env });
  expect(verified.stdout, verified.stderr).toMatch(/signer +worker .* enrolled/);
  for (const { home } of [one, two]) expect(existsSync(join(home, 'artifacts'))).toBe(false);
  for (const { child, finished } of [worker, ...servers.map(({ started }) => started)]) {
    child.kill('SIGTERM');
    await finished;
  }
  for (const each of [away, two, one]) await each.close();
}, 180_000);

test('both servers drive, and each says how many do', async () => {
  for (const { url } of [first, second]) {
    const said = async () => JSON.parse((await raw(`${url}/readyz`)).text);
    const endMs = performance.now() + 20_000;
    while ((await said()).checks.driver.detail !== '2 drive' && performance.now() < endMs) {
      await pause(100);
    }
    expect((await said()).checks.driver.detail).toBe('2 drive');
    expect(await said()).toMatchObject({ ready: true });
  }
  const status = await own.run(['status', '--json'], { env: { PAWL_SERVER: first.url } });
  const { drivers } = status.json() as { drivers: readonly { seat: string; pid: number }[] };
  const driving = drivers.filter(({ seat }) => seat.startsWith('driver:'));
  const pids = [first, second].map(({ started }) => started.child.pid);
  expect(driving.map(({ pid }) => pid).sort()).toEqual(pids.sort());
});

test('a run that one server started is ended by the other, each attempt once', async () => {
  const typed = (line: readonly string[], { url }: Served) =>
    (url === first.url ? own : other).run(line, { cwd: work.directory, env: { PAWL_SERVER: url } });
  const started = await typed([...work.run, '--name', 'answer', '-d'], first);
  expect(started.exit, started.stderr).toBe(0);
  first.started.child.kill('SIGKILL');
  await first.started.finished;
  const waited = await typed(['wait', 'answer', '--timeout', '90s'], second);
  expect(waited.exit, waited.stdout + waited.stderr).toBe(0);
  expect(work.starts().map(({ attempt }) => attempt)).toEqual([1, 2]);
  // Signed with the key of one home, proven at the other by its public part.
  const env = { PAWL_DATABASE: address };
  const audit = await other.run(['audit', 'verify', '--json'], { env });
  expect(audit.exit, audit.stdout + audit.stderr).toBe(0);
  expect(readdirSync(other.home)).not.toContain('artifacts');
}, 120_000);
