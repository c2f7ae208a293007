/**
 * Goal: a council tells what it thinks of a parked run, and nothing of the run is decided by it
 * (EV-7, EV-16, EV-68); a lane of it that dies costs the run nothing, and whoever lets the run go
 * on need not wait for it.
 * Method: the built program and one scripted agent that knows by its prompt what it is asked; while
 * a file of the name of a profile is there, that opinion is not given.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Project, project } from '../support/answer-project.ts';
import { type Pawl, pawl } from '../support/pawl.ts';
import { emptyStore, startPostgres } from '../support/postgres.ts';
import { endProcess, signal, until } from '../support/processes.ts';

const waitMs = 60_000;

/** The second attempt is right; asked as a council, it says who it is and what it was shown. */
const agent = `
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
const [folder, role] = process.argv.slice(2);
const prompt = readFileSync(0, 'utf8');
if (role === 'consult') {
  const profile = /^# Your part\\n\\n(\\w+):/m.exec(prompt)[1];
  appendFileSync(folder + '/asked', profile + ' ' + process.env.PAWL_EXECUTION + '\\n');
  while (existsSync(folder + '/' + profile)) await wait(50);
  writeFileSync('answer.txt', 'mine');
  const shown = ['attempts_exhausted', '-0', '+41', 'find the answer', 'pawl accept'];
  const missing = shown.filter((word) => !prompt.includes(word));
  console.log('The ' + profile + ' thinks it is 42. Missing: ' + (missing.join(', ') || 'nothing'));
} else writeFileSync('answer.txt', process.env.PAWL_ATTEMPT === '1' ? '41\\n' : '42\\n');
`;

let it: Pawl;
let work: Project;
beforeEach(async () => {
  it = pawl();
  work = project(it.root);
  writeFileSync(join(it.root, 'advised.mjs'), agent);
  writeFileSync(join(it.root, 'asked'), '');
  await parked('one');
});
afterEach(async () => {
  await it.close();
});

async function parked(name: string, env: Readonly<Record<string, string>> = {}): Promise<void> {
  const command = `node ${join(it.root, 'advised.mjs')} ${it.root} {current_phase}`;
  const line = ['run', 'find the answer', '--name', name, '-n', '1', '--agent-cmd', command];
  const ran = await it.run([...line, '--check', 'node check.mjs'], { cwd: work.directory, env });
  expect(ran.exit, ran.stdout + ran.stderr).toBe(3);
}

const typed = (...line: readonly string[]) => it.onTerminal(line, { cwd: work.directory });
const shown = async () => (await typed('show', 'one', '--json')).json();
const asked = () => readFileSync(join(it.root, 'asked'), 'utf8').split('\n').slice(0, -1);
const hold = (profile: string) => writeFileSync(join(it.root, profile), '');
const letSay = (profile: string) => rmSync(join(it.root, profile));

/** What a council may not change. */
const kept = ({
  status,
  reason,
  attempt,
  attempts,
  head,
  brakes,
}: Readonly<Record<string, unknown>>) => ({ status, reason, attempt, attempts, head, brakes });

test('each says what it thinks over the newest work; the run stays as it was (EV-7, EV-68)', async () => {
  const before = await shown();
  const consulted = await typed('consult', 'one');
  expect(consulted.exit, consulted.stdout).toBe(0);
  for (const profile of ['oracle', 'explorer', 'fixer']) {
    const said = `The ${profile} thinks it is 42. Missing: nothing`;
    expect(consulted.stdout).toContain(said);
    expect(consulted.stdout).toContain(`✓ ${profile} · `);
  }
  expect(consulted.stdout).toContain('3 of 3 opinions; nothing is decided');
  const page = await typed('show', 'one');
  expect(page.stdout).toMatch(/opinions {2}oracle · /);
  const after = await shown();
  expect(kept(after)).toEqual(kept(before));
  expect(after['opinions']).toMatchObject([
    { profile: 'oracle', role: 'execute', outcome: 'given', detail: null },
    { profile: 'explorer', outcome: 'given' },
    { profile: 'fixer', outcome: 'given' },
  ]);
  // It was read in copies, which are gone: the work is what it was.
  expect(work.git('show', `${after['branch']}:answer.txt`)).toBe('41');
  const json = await typed('consult', 'one', '--profiles', 'test', '--json');
  const text = 'The test thinks it is 42. Missing: nothing';
  expect(json.json()).toMatchObject({ status: 'needs_operator', opinions: [{ text }] });
  const audit = await it.run(['audit', 'verify'], { cwd: work.directory });
  expect(audit.exit, audit.stdout).toBe(0);
}, 180_000);

test('only a human asks, only of a parked run, and only profiles that there are (EV-7, EV-16)', async () => {
  const automated = await it.run(['consult', 'one'], { cwd: work.directory });
  expect([automated.exit, automated.stderr]).toEqual([
    2,
    expect.stringContaining('error[human_required]'),
  ]);
  const itself = await typed('consult', 'one', '--profiles', 'oracle,council');
  expect(itself.exit).toBe(2);
  expect(itself.stdout).toContain('a council is none of its own members');
  expect(itself.stdout).toMatch(/allowed +fixer, designer/);
  expect((await typed('accept', 'one', '--reason', 'known')).exit).toBe(0);
  const over = await typed('consult', 'one');
  expect([over.exit, over.stdout]).toEqual([2, expect.stringContaining('error[wrong_verb]')]);
  expect(asked()).toEqual([]);
}, 120_000);

test('with a database it is the same (EV-7)', async () => {
  const database = await startPostgres();
  try {
    const env = { PAWL_DATABASE: await emptyStore(database.url) };
    await parked('two', env);
    const options = { cwd: work.directory, env };
    const consulted = await it.onTerminal(['consult', 'two', '--json'], options);
    expect(consulted.exit, consulted.stdout).toBe(0);
    const text = (profile: string) => `The ${profile} thinks it is 42. Missing: nothing`;
    expect(consulted.json()).toMatchObject({
      ...{ status: 'needs_operator', attempt: { n: 1 } },
      opinions: ['oracle', 'explorer', 'fixer'].map((profile) => ({ text: text(profile) })),
    });
    const audit = await it.run(['audit', 'verify'], options);
    expect(audit.exit, audit.stdout).toBe(0);
  } finally {
    for (const found of it.processes()) await endProcess(found);
    await database.stop();
  }
}, 180_000);

test.each(['lane', 'host', 'everything'] as const)(
  'kill -9 of the %s of an opinion: it comes all the same, and costs the run nothing (RR-29, RR-45)',
  async (victim) => {
    hold('oracle');
    const before = await shown();
    const listening = it.start(['wait', 'one'], { cwd: work.directory });
    await listening.finished;
    const first = typed('consult', 'one', '--profiles', 'oracle,test', '--json');
    first.catch(() => {});
    expect(await until(() => asked().some((line) => line.startsWith('oracle')), waitMs)).toBe(true);
    const words = { lane: /advised\.mjs/, host: /\/lane-host\.js/, everything: /./ }[victim];
    for (const one of it.processes()) if (words.test(one.command)) signal(one, 'SIGKILL');
    letSay('oracle');
    if (victim === 'everything') await first.catch(() => {});
    const heard = victim === 'everything' ? await typed('consult', 'one', '--json') : await first;
    expect(heard.exit, heard.stdout).toBe(0);
    expect(heard.json()).toMatchObject({
      opinions: [
        { profile: 'oracle', outcome: 'given' },
        { profile: 'test', outcome: 'given' },
      ],
    });
    expect(asked().filter((line) => line.startsWith('oracle'))).toHaveLength(2);
    expect(kept(await shown())).toEqual(kept(before));
  },
  180_000,
);

test('whoever resumes need not wait: the council ends, the run goes on and completes (EV-7)', async () => {
  for (const profile of ['oracle', 'explorer', 'fixer']) hold(profile);
  const consulting = typed('consult', 'one');
  expect(await until(() => asked().length === 3, waitMs), 'all are asked').toBe(true);
  expect((await typed('resume', 'one', '--attempts', '+1')).exit).toBe(0);
  const ended = await it.run(['wait', 'one', '--json'], { cwd: work.directory });
  expect(ended.json()).toMatchObject({
    runs: [{ status: 'complete', verification: 'passed', attempt: { n: 2 }, unproven: [] }],
  });
  const consulted = await consulting;
  expect([consulted.exit, consulted.stdout]).toEqual([1, expect.stringContaining('[no_opinion]')]);
  expect(consulted.stdout).toContain('the run went on');
  const lanes = () => it.processes().filter(({ command }) => command.includes('advised.mjs'));
  expect(await until(() => lanes().length === 0, waitMs), 'its lanes have ended').toBe(true);
  expect(existsSync(join(it.root, 'oracle'))).toBe(true);
}, 180_000);
