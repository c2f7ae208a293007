/**
 * Goal: a later pawl takes over while an agent works: it moves the store to its own format, the
 * host of the earlier one keeps its lane, seals and leaves, and the new driver completes the same
 * attempt; the earlier pawl then refuses the store.
 * Method: the built program and a later release of this tree, as real processes over one state
 * folder; the agent waits for a file, so that nothing is a matter of time.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildLater, type Later } from '../../tools/demo-upgrade/newer.mjs';
import { type Project, project } from '../support/answer-project.ts';
import { type Pawl, pawl, type StartOptions } from '../support/pawl.ts';
import { emptyStore, startPostgres } from '../support/postgres.ts';
import { until } from '../support/processes.ts';
import { serve } from '../support/served.ts';

const folder = mkdtempSync(join(tmpdir(), 'pawl-later-'));
let later: Later;
beforeAll(async () => {
  later = await buildLater(folder);
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const agent = `echo "$PAWL_EXECUTION $PAWL_ATTEMPT \${PAWL_ADAPTER:-1}" >> "$1"
while [ ! -e "$1.go" ]; do sleep 0.05; done
echo 42 > answer.txt
`;

interface World {
  readonly older: Pawl;
  readonly newer: Pawl;
  readonly work: Project;
  /** Of what is typed. */
  readonly options: StartOptions & { readonly cwd: string };
  readonly line: readonly string[];
  /** One for each start of the agent: execution, attempt, version of the adapter. */
  starts(): readonly (readonly string[])[];
  /** Lets the agent end. */
  go(): void;
}

function world(env: Readonly<Record<string, string>> = {}): World {
  const [older, newer] = [pawl(), pawl({ program: later.program })];
  const work = project(older.root);
  const [program, witness] = [join(older.root, 'agent.sh'), join(older.root, 'seen')];
  writeFileSync(program, agent);
  const command = `sh ${program} ${witness}`;
  const read = () => (existsSync(witness) ? readFileSync(witness, 'utf8').trim().split('\n') : []);
  return {
    older,
    newer,
    work,
    options: { cwd: work.directory, env: { PAWL_HOME: older.home, ...env } },
    line: ['run', 'x', '--name', 'x', '--agent-cmd', command, '--check', 'node check.mjs', '-d'],
    starts: () => read().map((one) => one.split(' ')),
    go: () => writeFileSync(`${witness}.go`, ''),
  };
}

async function begun({ older, options, line, starts }: World): Promise<void> {
  const started = await older.run(line, options);
  expect(started.exit, started.stderr).toBe(0);
  expect(await until(() => starts().length === 1, 60_000)).toBe(true);
}

/** Its beats are refused, and it says so where the later driver looks. */
async function isCutOff({ older, starts }: World): Promise<boolean> {
  const [execution = ''] = starts()[0] ?? [];
  return until(() => existsSync(join(older.home, 'spool', execution, 'cut.json')), 60_000);
}

function refusal(): string {
  const { now, later: moved } = later.formats;
  const said = `error[store_newer]: the store has format ${moved}, this pawl knows ${now}\n`;
  const next = 'Upgrade pawl (the store was left as it is); the version that you have:';
  return `${said}  next         ${next} npx pawl --version\n`;
}

async function refuses({ older, options }: World): Promise<void> {
  for (const line of [['status'], ['cancel', 'x'], ['serve', '--listen', '127.0.0.1:0']]) {
    const { exit, stdout, stderr } = await older.run(line, options);
    expect({ exit, stdout, stderr }).toEqual({ exit: 1, stdout: '', stderr: refusal() });
  }
}

/** By one turn, of the execution that began before; what is left of it is on the branch. */
async function isComplete({ newer, work, options, starts }: World): Promise<void> {
  const shown = (await newer.run(['show', 'x', '--json'], options)).json();
  const [execution] = starts()[0] ?? [];
  expect(starts()).toEqual([[execution, '1', '1']]);
  expect(shown).toMatchObject({ status: 'complete', attempt: { n: 1 }, verification: 'passed' });
  const [{ executions } = {}] = shown['attempts'] as readonly { executions?: string[] }[];
  expect(executions?.[0]).toBe(execution);
  expect(work.git('show', `${shown['branch']}:answer.txt`)).toBe('42');
  const audit = await newer.run(['audit', 'verify', '--json'], options);
  expect(audit.exit, audit.stdout + audit.stderr).toBe(0);
}

const logOf = ({ older }: World, name: string): string =>
  readFileSync(join(older.home, 'log', `${name}.log`), 'utf8');

test('a file is moved while a host of the earlier pawl works: it seals, and its attempt goes on (D-61)', async () => {
  const here = world();
  const { newer, options, go } = here;
  await begun(here);
  const moved = await newer.run(['db', 'migrate'], options);
  expect(moved.stdout, moved.stderr).toContain('from format');
  expect(await isCutOff(here)).toBe(true);
  await refuses(here);
  const waits = newer.run(['wait', 'x', '--timeout', '100s'], options);
  go();
  const waited = await waits;
  expect(waited.exit, waited.stdout + waited.stderr).toBe(0);
  await isComplete(here);
  expect(logOf(here, 'lane-host')).toContain(' left_sealed: ');
  // That there is a later program is no fault of this one, so nothing is reported.
  expect(existsSync(join(here.older.home, 'reports'))).toBe(false);
  await here.newer.close();
  await here.older.close();
}, 180_000);

test('a server that was not asked to leave does, when its store is moved, and says why', async () => {
  const here = world();
  const { started } = await serve(here.older, [], here.options);
  expect((await here.newer.run(['db', 'migrate'], here.options)).exit).toBe(0);
  const { exit, stderr } = await started.finished;
  expect([exit, stderr]).toEqual([1, refusal()]);
  await here.newer.close();
  await here.older.close();
}, 120_000);

test('a server is drained and a later one takes its place: what an earlier host seals is handed in (D-61)', async () => {
  const database = await startPostgres();
  const address = await emptyStore(database.url);
  const here = world({ PAWL_DATABASE: address });
  const { older, newer, options, go } = here;
  const first = await serve(older, [], options);
  await begun(here);
  const asked = { ...options, env: { ...options.env, PAWL_SERVER: first.url } };
  const drained = await older.onTerminal(['serve', '--drain'], asked);
  expect(drained.exit, drained.stdout).toBe(0);
  await first.started.seen(/"event":"left_seat"/);
  const second = await serve(newer, [], options);
  expect(await isCutOff(here)).toBe(true);
  await refuses(here);
  go();
  const waited = await newer.run(['wait', 'x', '--timeout', '100s'], options);
  expect(waited.exit, waited.stdout + waited.stderr).toBe(0);
  await isComplete(here);
  expect((await first.started.finished).exit).toBe(0);
  // What the host could not put into the database was carried over from where it lay.
  expect(readdirSync(join(older.home, 'artifacts')).length).toBeGreaterThan(0);
  second.started.child.kill('SIGTERM');
  await second.started.finished;
  await newer.close();
  await older.close();
  await database.stop();
}, 180_000);
