/**
 * Goal: however a live view ends, the terminal is left as it was found, the run is not lost, and
 * the words are those of UX 3.2 (L-M1, L-M2). Method: a real PTY; the agent waits until the test
 * lets it go.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { project } from '../support/answer-project.ts';
import { binary, type Pawl, pawl } from '../support/pawl.ts';
import { until } from '../support/processes.ts';
import { openTerminal, type TestTerminal } from '../support/terminal.ts';

const restored = { isCooked: true, isCursorShown: true, isMainScreen: true };
const interrupt = '\u0003';

/** Prints what disturbs terminals, then works until it is let go or told to stop. */
const waitingAgent = `
import { existsSync } from 'node:fs';
const [go] = process.argv.slice(2);
process.stdout.write('\\u001b[2J\\u001b[Hgone\\rprogress 10%\\rprogress 20%\\n');
process.stdout.write(Buffer.from([0xff, 0xfe, 0x1b, 0x5d, 0x30, 0x3b, 0x78, 0x0a]));
process.stdout.write('x'.repeat(1_000_000) + '\\n\\u001b[?1049h\\u001b[?1000hready\\n');
const until = Date.now() + 60_000;
const timer = setInterval(() => {
  if (existsSync(go) || Date.now() > until) clearInterval(timer);
}, 50);
`;

let own: Pawl;
let terminal: TestTerminal | null = null;

beforeEach(() => {
  own = pawl();
  writeFileSync(join(own.root, 'waiting.mjs'), waitingAgent);
});
afterEach(async () => {
  terminal?.close();
  terminal = null;
  await endRun();
  await own.close();
}, 60_000);

async function working(columns = 100): Promise<TestTerminal> {
  const { directory, run } = project(own.root);
  const agent = `node ${join(own.root, 'waiting.mjs')} ${join(own.root, 'go')}`;
  const args = run.map((word) =>
    word.startsWith('node ') && word.includes('agent') ? agent : word,
  );
  const opened = openTerminal([process.execPath, binary, ...args], {
    cwd: directory,
    env: own.env,
    columns,
  });
  terminal = opened;
  await opened.seen(columns < 60 ? /att 1 exec/ : /│ ready/);
  return opened;
}

/** Not the shell above it. */
const viewerPid = (): number =>
  own
    .processes()
    .find(({ command }) => command.startsWith(process.execPath) && command.includes(' run find '))
    ?.pid ?? 0;

async function endRun(): Promise<void> {
  writeFileSync(join(own.root, 'go'), '');
  await own.run(['cancel', '@last', '--now'], { cwd: join(own.root, 'project') });
  await until(() => own.processes().every(({ command }) => !command.includes('lane-host')), 30_000);
}

test('Ctrl-C once pauses: the words, exit 130, and how to go on (UX 3.2)', async () => {
  const view = await working();
  expect(view.text()).toMatch(/d detach · p pause · l log · \? keys/);
  expect(view.text()).not.toContain('gone');
  view.type(interrupt);
  await view.seen(
    /Pausing: asking node to stop \(10s\)\. Ctrl-C again ends it now; the work is kept/,
  );
  expect(await view.left()).toEqual({ exit: 130, ...restored });
  expect(view.text()).toMatch(/\npaused · (?:npx )?pawl resume \w{4,}$/);
});

test('Ctrl-C twice ends the lane, three times leaves at once and names what is left', async () => {
  const view = await working();
  view.type(interrupt + interrupt + interrupt);
  expect(await view.left()).toEqual({ exit: 130, ...restored });
  expect(view.text()).toMatch(/left at once: (?:\w+\.\d+ may still be running|nothing is running)/);
});

test('keys change what is shown; d leaves the run to itself', async () => {
  const view = await working();
  view.type('?');
  await view.seen(/d {3}detach: the run goes on without this view/);
  view.type('a');
  await view.seen(/nothing waits for your approval/);
  view.type('u');
  await view.seen(/no operator UI is running/);
  view.type('l');
  await view.seen(/log: every line of the lane/);
  view.type('d');
  expect(await view.left()).toEqual({ exit: 0, ...restored });
  expect(view.text()).toMatch(/\ndetached · (?:npx )?pawl watch \w{4,} · (?:npx )?pawl status$/);
});

test.each(['SIGTERM', 'SIGHUP'] as const)('%s restores the terminal', async (signal) => {
  const view = await working();
  process.kill(viewerPid(), signal);
  const left = await view.left();
  expect(left).toEqual({ exit: signal === 'SIGTERM' ? 143 : 0, ...restored });
});

test('a resize redraws at the new width (UX 3.2)', async () => {
  const view = await working(140);
  view.resize(70, 30);
  await view.seen(/ {13}│ ready/);
  view.resize(50, 30);
  await view.seen(/att 1 exec/);
  view.resize(120, 30);
  await view.seen(/\? keys/);
  expect(view.text()).toMatch(/● attempt 1 .*\n(?: {13}│ .*\n)*(?:.*) {2,}d detach/);
  view.type('d');
  expect(await view.left()).toMatchObject(restored);
});
