/**
 * Goal: a team takes the runs of a machine along into PostgreSQL, and puts ended ones away (D-61).
 * Method: the built program, a run that really ended, a real database; one copy is killed in the
 * middle.
 */
import { renameSync, writeFileSync } from 'node:fs';
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
import { endProcess } from '../support/processes.ts';
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

/** Drivers and check hosts linger for a minute when nothing is to be done; here they are told. */
async function idle(): Promise<void> {
  for (const found of own.processes()) await endProcess(found);
}

async function killedInTheMiddle(): Promise<void> {
  // Somebody is about to write a row that the copy has too: it waits for him, after its events.
  const other = await strangersClient(url);
  await other.query('begin');
  await other.query(
    "insert into executions(id, run, job_key, role, attempt, no, status, fence, created_at, job) values ($1, 1, 'x', 'x', 1, 1, 'x', 1, 1, '{}')",
    [await firstExecution()],
  );
  const copying = own.start(['db', 'copy', '--to', url]);
  const waiting =
    "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%executions%'";
  let waits = 0;
  for (let looks = 0; looks < 2_000 && waits === 0; looks += 1) {
    waits = (await asStranger(url, waiting)).length;
  }
  expect(waits).toBe(1);
  copying.child.kill('SIGKILL');
  expect((await copying.finished).signal).toBe('SIGKILL');
  await other.query('rollback');
  await other.end();
}

const onTerminal = (line: readonly string[]) =>
  own.onTerminal(line, { cwd: join(own.root, 'project'), timeoutMs: 40_000 });

/** Where the bytes of an archive lie as a file; those of the database are written to one. */
async function fileOf(archive: string, isRow: boolean): Promise<string> {
  const hex = archive.slice('sha256:'.length);
  if (!isRow) return join(own.home, 'artifacts', hex.slice(0, 2), hex.slice(2));
  const rows = await asStranger<{ readonly bytes: Buffer }>(
    url,
    `select c.bytes from artifact_chunks c join artifacts a on a.content = c.content
    where a.digest = decode('${hex}', 'hex') order by c.no`,
  );
  const file = join(own.root, 'archive.jsonl');
  writeFileSync(file, Buffer.concat(rows.map(({ bytes }) => bytes)));
  return file;
}

async function firstExecution(): Promise<string> {
  const shown = await own.run(['show', 'answer', '--json'], { cwd: join(own.root, 'project') });
  return `${String(shown.json()['id'])}.1`;
}

test('ended runs are copied with their artifacts, shown and verified there', async () => {
  const work = project(own.root);
  const cwd = work.directory;
  const env = { PAWL_DATABASE: url };
  const ran = await own.run([...work.run, '--baseline', 'skip', '--name', 'answer'], { cwd });
  expect(ran.exit, ran.stdout + ran.stderr).toBe(0);
  // The run with the newest event is never archived; a second one comes after it.
  work.git('checkout', '--quiet', '--detach');
  const agent = ['--agent-cmd', 'touch again.txt', '--check', 'true', '--baseline', 'skip'];
  const later = await own.run(['run', 'again', '--name', 'again', ...agent], { cwd });
  expect(later.exit, later.stdout + later.stderr).toBe(0);
  await idle();
  const made = await own.run(['db', 'migrate'], { cwd, env });
  expect(made.stdout).toContain('made the store, format 2');
  await killedInTheMiddle();
  const between = await own.run(['db', 'status', '--json'], { cwd, env });
  expect(between.json()).toMatchObject({ kind: 'postgres', counts: { runs: 0, events: 0 } });

  const copied = await own.run(['db', 'copy', '--to', url], { cwd });
  expect(copied.exit, copied.stdout + copied.stderr).toBe(0);
  expect(copied.stdout).toContain('copied 2 runs (0 not ended)');
  expect(copied.stdout).toMatch(/artifacts +\d+ came along, .*, each verified/);
  expect(copied.stderr).toMatch(/copied \d+ of \d+ artifacts\n/);
  const again = await own.run(['db', 'copy', '--to', url], { cwd });
  expect([again.exit, again.stderr]).toEqual([1, expect.stringContaining('copy_refused')]);

  // Whoever opens the database elsewhere has nothing of this machine.
  renameSync(join(own.home, 'artifacts'), join(own.root, 'artifacts'));
  const server = await serve(own, ['--database', url]);
  const listed = await own.run(['show', 'answer', '--json'], {
    cwd,
    env: { PAWL_SERVER: server.url },
  });
  expect(listed.json(), listed.stderr).toMatchObject({ name: 'answer', status: 'complete' });
  server.started.child.kill('SIGTERM');
  await server.started.finished;
  const verified = await own.run(['audit', 'verify', '--json'], { cwd, env });
  expect(verified.json()).toMatchObject({ ok: true, streams: 2, problems: [] });
  expect(verified.stdout).not.toContain('not among the artifacts');
  renameSync(join(own.root, 'artifacts'), join(own.home, 'artifacts'));
}, 120_000);

test('a run whose work has not landed or whose tree is there is not archived', async () => {
  const line = ['db', 'archive', '--older-than', '0s', '-y', '--json'];
  const held = await onTerminal(line);
  const unlanded = expect.stringMatching(/work has not landed: pawl land \w+, or --unlanded/);
  const stays = (why: unknown) => ({ archived: [], kept: [{ name: 'answer', why }] });
  expect(held.json()).toMatchObject(stays(unlanded));
  const wished = await onTerminal([...line, '--unlanded']);
  expect(wished.json()).toMatchObject(stays(expect.stringContaining('its worktree is there')));
  const pruned = await onTerminal(['prune', '-y']);
  expect(pruned.exit, pruned.stdout).toBe(0);
}, 60_000);

test.each([
  ['the file', () => []],
  ['PostgreSQL', () => ['--database', url]],
])(
  'a run archived from %s is told from one that is gone, and its file proves itself',
  async (_, of) => {
    const at = of();
    const cwd = join(own.root, 'project');
    const line = ['db', 'archive', '--older-than', '0s', '--unlanded', '-y', '--json', ...at];
    const done = await onTerminal(line);
    expect(done.json(), done.stdout).toMatchObject({ archived: [{ name: 'answer' }], kept: [] });
    const [{ archive = '', run = '' } = {}] = done.json()['archived'] as readonly {
      archive?: string;
      run?: string;
    }[];
    const file = await fileOf(archive, at.length > 0);
    const checked = await own.run(['audit', 'verify', file], { cwd });
    expect(checked.stdout, checked.stderr).toContain('✓ archive verified');
    const env: Readonly<Record<string, string>> = at.length > 0 ? { PAWL_DATABASE: url } : {};
    const whole = await own.run(['audit', 'verify', '--json'], { cwd, env });
    expect(whole.json()).toMatchObject({ ok: true, archived: 1, problems: [] });
    const gone = await own.run(['show', run.slice(0, 4)], { cwd, env });
    expect([gone.exit, gone.stderr]).toEqual([2, expect.stringContaining('run_archived')]);
    expect(gone.stderr).toContain(`pawl artifact get ${archive}`);
  },
  60_000,
);
