/**
 * Goal: a team takes the runs of a machine along into PostgreSQL, and puts ended ones away (D-61).
 * Method: the built program, a run that really ended, a real database; one copy is killed in the
 * middle.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { project } from '../support/answer-project.ts';
import { type Pawl, pawl } from '../support/pawl.ts';
import {
  asStranger,
  emptyStore,
  type PostgresServer,
  startPostgres,
  strangersClient,
} from '../support/postgres.ts';
import { until } from '../support/processes.ts';
import { serve } from '../support/served.ts';

let database: PostgresServer;
let own: Pawl;
let url: string;
beforeAll(async () => {
  database = await startPostgres();
  url = await emptyStore(database.url);
  own = pawl();
}, 120_000);
afterAll(async () => {
  await own.close();
  await database.stop();
});

/** Drivers and check hosts leave by themselves when nothing is to be done. */
const idle = () => until(() => own.processes().length === 0, 60_000);

async function killedInTheMiddle(): Promise<void> {
  // Somebody is about to write a row that the copy has too: it waits for him, after its events.
  const other = await strangersClient(url);
  await other.query('begin');
  await other.query(
    "insert into executions(id, run, job_key, role, attempt, no, status, fence, created_at, job) values ($1, 1, 'x', 'x', 1, 1, 'x', 1, 1, '{}')",
    [await firstExecution()],
  );
  const copying = own.start(['db', 'copy', '--to', url]);
  let waits = 0;
  await until(() => {
    void asStranger(
      url,
      "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%executions%'",
    ).then(({ length }) => {
      waits = length;
    });
    return waits > 0;
  }, 30_000);
  copying.child.kill('SIGKILL');
  expect((await copying.finished).signal).toBe('SIGKILL');
  await other.query('rollback');
  await other.end();
}

async function firstExecution(): Promise<string> {
  const shown = await own.run(['show', 'answer', '--json'], { cwd: join(own.root, 'project') });
  return `${String(shown.json()['id'])}.1`;
}

test('an ended run is copied, shown and verified there, archived, and verified again', async () => {
  const work = project(own.root);
  const cwd = work.directory;
  const env = { PAWL_DATABASE: url };
  const ran = await own.run([...work.run, '--name', 'answer'], { cwd });
  expect(ran.exit, ran.stdout + ran.stderr).toBe(0);
  await idle();
  const made = await own.run(['db', 'migrate'], { cwd, env });
  expect(made.stdout).toContain('made the store, format 1');
  await killedInTheMiddle();
  const between = await own.run(['db', 'status', '--json'], { cwd, env });
  expect(between.json()).toMatchObject({ kind: 'postgres', counts: { runs: 0, events: 0 } });

  const copied = await own.run(['db', 'copy', '--to', url], { cwd });
  expect(copied.exit, copied.stdout + copied.stderr).toBe(0);
  expect(copied.stdout).toContain('copied 1 run (0 not ended)');
  const again = await own.run(['db', 'copy', '--to', url], { cwd });
  expect([again.exit, again.stderr]).toEqual([1, expect.stringContaining('copy_refused')]);

  const server = await serve(own, ['--database', url]);
  const listed = await own.run(['show', 'answer', '--json'], {
    cwd,
    env: { PAWL_SERVER: server.url },
  });
  expect(listed.json(), listed.stderr).toMatchObject({ name: 'answer', status: 'complete' });
  server.started.child.kill('SIGTERM');
  await server.started.finished;
  const verified = await own.run(['audit', 'verify', '--json'], { cwd, env });
  expect(verified.json()).toMatchObject({ ok: true, streams: 1, problems: [] });
}, 180_000);

test('an archived run is told from one that is gone, and its file proves itself', async () => {
  const cwd = join(own.root, 'project');
  const put = async (line: readonly string[]) => await own.onTerminal(line, { cwd });
  // The run with the newest event stays; a second one comes after it.
  execFileSync('git', ['-C', cwd, 'checkout', '--quiet', '--detach']);
  const next = ['run', 'again', '--name', 'again', '--agent-cmd', 'true', '--check', 'true'];
  await own.run([...next, '--baseline', 'skip', '-d'], { cwd });
  await own.run(['wait', 'again', '--timeout', '60s'], { cwd });
  const held = await put(['db', 'archive', '--older-than', '0s', '-y', '--json']);
  expect(held.json()).toMatchObject({ archived: [], kept: [{ name: 'answer' }] });
  const pruned = await put(['prune', '-y']);
  expect(pruned.exit, pruned.stdout).toBe(0);
  const done = await put(['db', 'archive', '--older-than', '0s', '-y', '--json']);
  expect(done.json(), done.stdout).toMatchObject({ archived: [{ name: 'answer' }], kept: [] });
  const [{ archive = '' } = {}] = done.json()['archived'] as readonly { archive?: string }[];
  const [, hex = ''] = archive.split(':');
  const file = join(own.home, 'artifacts', hex.slice(0, 2), hex.slice(2));
  expect(existsSync(file)).toBe(true);
  const checked = await own.run(['audit', 'verify', file], { cwd });
  expect(checked.stdout, checked.stderr).toContain('✓ archive verified');
  const whole = await own.run(['audit', 'verify', '--json'], { cwd });
  expect(whole.json()).toMatchObject({ ok: true, archived: 1, problems: [] });
  const gone = await own.run(['show', 'answer'], { cwd });
  expect(gone.exit).toBe(2);
}, 180_000);
