/**
 * Goal: what a user sees from the first command to the landed work: `init`, `run`, Ctrl-C,
 * `resume`, `approve`, `land`, as it stands on the screen (UX 1.2, 3, 5.3).
 * Method: a real PTY and the built program in a fixture repository; the agent is a small program.
 * Each screen is a golden file; what differs from run to run (times, ids, durations, places) is
 * masked. Renewed by `npm run test:screens -- -u`, and then read.
 */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Project, project } from '../support/answer-project.ts';
import { masked } from '../support/mask.ts';
import { binary, type Pawl, pawl } from '../support/pawl.ts';
import { openTerminal, type TestTerminal } from '../support/terminal.ts';

const interrupt = '\u0003';

/** Its first attempt lasts as long as `hold` is there, and ends wrong; the next one is right. */
const agent = `
import { existsSync, writeFileSync } from 'node:fs';
const [hold] = process.argv.slice(2);
const isFirst = process.env.PAWL_ATTEMPT === '1';
const until = Date.now() + 600_000;
console.log('read answer.txt');
if (existsSync(hold)) console.log('thinking about the question');
const timer = setInterval(() => {
  if (existsSync(hold) && Date.now() < until) return;
  clearInterval(timer);
  writeFileSync('answer.txt', isFirst ? '41\\n' : '42\\n');
  console.log('edit answer.txt +1 -1');
}, 50);
`;

let own: Pawl;
let fixture: Project;
let env: Readonly<Record<string, string>>;
let terminal: TestTerminal | null = null;
const hold = (): string => join(own.root, 'hold');

beforeAll(() => {
  own = pawl();
  fixture = project(own.root);
  writeFileSync(join(own.root, 'fixer.mjs'), agent);
  writeFileSync(hold(), '');
  // Which agents are installed on this machine is no matter of this test.
  const bin = join(own.root, 'bin');
  mkdirSync(bin);
  symlinkSync(process.execPath, join(bin, 'node'));
  env = { ...own.env, PATH: `${bin}:/usr/bin:/bin` };
});
afterEach(() => {
  terminal?.close();
  terminal = null;
});
afterAll(() => own.close(), 60_000);

function typed(...words: readonly string[]): TestTerminal {
  terminal = openTerminal([process.execPath, binary, ...words], {
    cwd: fixture.directory,
    env,
  });
  return terminal;
}

const screen = (name: string, text: string) =>
  expect(masked(text, own.root, 'find-the-answer')).toMatchFileSnapshot(
    `../golden/screens/${name}.txt`,
  );

/** Until the run no longer goes on by itself. */
const waited = () => own.run(['wait', '@last'], { cwd: fixture.directory });

test('init asks, tries the check on the base, and writes the file', async () => {
  const lane = `node ${own.root}/fixer.mjs ${hold()}`;
  const view = typed('init', '--check', 'node check.mjs', '--agent-cmd', lane);
  for (const question of [/May it run commands/, /Spend at most/, /Tell you where/]) {
    await view.seen(question);
    view.type('\r');
  }
  expect(await view.left()).toMatchObject({ exit: 0 });
  await screen('1-init', view.text());
  fixture.git('add', 'pawl.yaml', '.pawl');
  fixture.git('-c', 'user.name=t', '-c', 'user.email=t@localhost', 'commit', '-qm', 'pawl');
});

test('run shows what happens; Ctrl-C pauses it', async () => {
  const view = typed('run', 'find the answer', '--manual');
  await view.seen(/working\b[\s\S]*│ thinking about the question/);
  await screen('2-run', view.text());
  view.type(interrupt);
  await view.seen(/● attempt 1 +pausing/);
  rmSync(hold());
  expect(await view.left()).toMatchObject({ exit: 130 });
  await screen('3-interrupted', view.text());
});

test('resume goes on; the view shows the card when the run waits for the human', async () => {
  const resume = typed('resume', '@last');
  expect(await resume.left()).toMatchObject({ exit: 0 });
  await screen('4-resume', resume.text());
  resume.close();
  expect(await waited()).toMatchObject({ exit: 4 });
  const view = typed('watch', '@last');
  await view.seen(/\[q\] quit/);
  view.type('q');
  expect(await view.left()).toMatchObject({ exit: 4 });
  await screen('5-watch', view.text());
});

test('approve shows the card; one key decides', async () => {
  const view = typed('approve', '@last');
  await view.seen(/\[q\] quit/);
  view.type('d');
  await view.seen(/\+42[\s\S]*\[q\] quit/);
  view.type('y');
  expect(await view.left()).toMatchObject({ exit: 0 });
  await screen('6-approve', view.text());
  expect(await waited()).toMatchObject({ exit: 0 });
});

test('land brings the work home', async () => {
  const view = typed('land', '@last');
  expect(await view.left()).toMatchObject({ exit: 0 });
  await screen('7-land', view.text());
  expect(fixture.git('show', 'main:answer.txt')).toBe('42');
});
