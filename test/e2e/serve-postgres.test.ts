/**
 * Goal: two servers over one PostgreSQL; one is killed while a run works, and the other goes on.
 * Method: a real database and the built program as real processes, on free ports of this machine.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Project, project } from '../support/answer-project.ts';
import { type Pawl, pawl } from '../support/pawl.ts';
import { emptyStore, type PostgresServer, startPostgres } from '../support/postgres.ts';
import { type Served, serve } from '../support/served.ts';

let database: PostgresServer;
let own: Pawl;
let work: Project;
let first: Served;
let second: Served;

beforeAll(async () => {
  database = await startPostgres();
  own = pawl();
  work = project(own.root);
  const store = ['--database', await emptyStore(database.url)];
  first = await serve(own, store);
  second = await serve(own, store);
}, 120_000);
afterAll(async () => {
  second.started.child.kill('SIGTERM');
  await second.started.finished;
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

test('a run that one server started is ended by the other, each attempt once', async () => {
  const typed = (line: readonly string[], { url }: Served) =>
    own.run(line, { cwd: work.directory, env: { PAWL_SERVER: url } });
  const started = await typed([...work.run, '--name', 'answer', '-d'], first);
  expect(started.exit, started.stderr).toBe(0);
  first.started.child.kill('SIGKILL');
  await first.started.finished;
  const waited = await typed(['wait', 'answer', '--timeout', '90s'], second);
  expect(waited.exit, waited.stdout + waited.stderr).toBe(0);
  expect(work.starts().map(({ attempt }) => attempt)).toEqual([1, 2]);
}, 120_000);
