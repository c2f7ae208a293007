/**
 * Goal: however a live view ends, the terminal is left as it was found, the run is not lost, and
 * the words are those of UX 3.2 (L-M1, L-M2).
 * Method: a real PTY. All tests look at one run, in the order in which they stand here; its agent
 * works until a test lets it go, so that nothing happens but what a test does.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
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
const until = Date.now() + 600_000;
const timer = setInterval(() => {
  if (existsSync(go) || Date.now() > until) clearInterval(timer);
}, 50);
`;

let own: Pawl;
let directory: string;
/** What brings up the view of a run that is as the test before left it. */
let line: readonly string[];
let terminal: TestTerminal | null = null;

beforeAll(() => {
  own = pawl();
  const agent = join(own.root, 'waiting.mjs');
  writeFileSync(agent, waitingAgent);
  const made = project(own.root);
  directory = made.directory;
  const lane = `node ${agent} ${go()}`;
  line = typed(made.run.map((word) => (word.includes('agent.mjs') ? lane : word)));
});
afterEach(() => {
  terminal?.close();
  terminal = null;
});
afterAll(async () => {
  const cancelled = await own.onTerminal(['cancel', '@last'], { cwd: directory });
  expect(cancelled).toMatchObject({ exit: 0 });
  expect(await own.run(['wait', '@last'], { cwd: directory })).toMatchObject({ exit: 1 });
  await until(() => own.processes().every(({ command }) => !command.includes('lane-host')), 30_000);
  await own.close();
}, 120_000);

const go = (): string => join(own.root, 'go');
const typed = (words: readonly string[]): readonly string[] => [process.execPath, binary, ...words];
const watch = typed(['watch', '@last']);
const pawlWords = typed([]).join(' ');
const resumeAndWatch = [
  ...['/bin/sh', '-c'],
  `${pawlWords} wait @last; ${pawlWords} resume @last && exec ${watch.join(' ')}`,
];

async function view(columns = 100): Promise<TestTerminal> {
  const opened = openTerminal(line, { cwd: directory, env: own.env, columns });
  terminal = opened;
  await opened.seen(/│ ready/);
  return opened;
}

/** Not the shell above it. */
const viewerPid = (): number =>
  own
    .processes()
    .find(({ command }) => command.startsWith(process.execPath) && / watch /.test(command))?.pid ??
  0;

test('keys change what is shown; d leaves the run to itself', async () => {
  const run = await view();
  expect(run.text()).toMatch(/d detach · p pause · l log · \? keys/);
  expect(run.text()).not.toContain('gone');
  run.type('?');
  await run.seen(/d {3}detach: the run goes on without this view/);
  run.type('a');
  await run.seen(/nothing waits for your approval/);
  run.type('u');
  await run.seen(/no operator UI is running/);
  run.type('l');
  await run.seen(/log: every line of the lane/);
  run.type('d');
  expect(await run.left()).toEqual({ exit: 0, ...restored });
  expect(run.text()).toMatch(/\ndetached · (?:npx )?pawl watch \w{4,} · (?:npx )?pawl status$/);
  line = watch;
});

/** What a viewer that leaves has no part in. */
async function laneState() {
  const run = (await own.run(['show', '@last', '--json'], { cwd: directory })).json();
  const { status, phase, delivery } = run;
  return { status, phase, delivery };
}

/** The host tells what it knows at its beats. */
async function laneAtWork() {
  const end = performance.now() + 30_000;
  let state = await laneState();
  while (state.delivery !== 'started' && performance.now() < end) state = await laneState();
  return state;
}

test('attach shows what the lane prints, and Ctrl-] leaves it to itself (UX 2.4, RR-17)', async () => {
  const before = await laneAtWork();
  const words = typed(['attach', '@last']);
  const attached = openTerminal(words, { cwd: directory, env: own.env });
  terminal = attached;
  await attached.seen(/\nready\n[\s\S]*── executing · /);
  expect(attached.text()).toMatch(/^── .* · attempt 1 · read-only · Ctrl-\] leaves/);
  attached.type('q');
  await attached.seen(/read-only: nothing typed here reaches the lane/);
  attached.type('\u001d');
  expect(await attached.left()).toEqual({ exit: 0, ...restored });
  expect(attached.text()).toMatch(/\n── detached · (?:npx )?pawl attach \w{4,}$/);
  expect(before).toMatchObject({ status: 'active', delivery: 'started' });
  expect(await laneState()).toEqual(before);
});

test('a resize redraws at the new width, and a closed terminal ends nothing (UX 3.2)', async () => {
  const run = await view(140);
  run.resize(70, 30);
  await run.seen(/ {13}│ ready/);
  run.resize(50, 30);
  await run.seen(/att 1 exec/);
  run.resize(120, 30);
  await run.seen(/\? keys/);
  expect(run.text()).toMatch(/● attempt 1 .*\n(?: {13}│ .*\n)*(?:.*) {2,}d detach/);
  // Nothing of what was drawn at other widths is left, above the screen neither.
  expect(run.text().match(/d detach|att 1 exec/g), run.text()).toHaveLength(1);
  process.kill(viewerPid(), 'SIGHUP');
  expect(await run.left()).toEqual({ exit: 0, ...restored });
});

test('Ctrl-C once pauses: the words, exit 130, and how to go on (UX 3.2)', async () => {
  const run = await view();
  run.type(interrupt);
  await run.seen(
    /Pausing: asking node to stop \(10s\)\. Ctrl-C again ends it now; the work is kept/,
  );
  writeFileSync(go(), '');
  expect(await run.left()).toEqual({ exit: 130, ...restored });
  rmSync(go());
  expect(run.text()).toMatch(/\npaused · (?:npx )?pawl resume \w{4,}$/);
  line = resumeAndWatch;
});

test('Ctrl-C three times leaves at once, names what is left, and the run is paused', async () => {
  const run = await view();
  run.type(interrupt + interrupt + interrupt);
  expect(await run.left()).toEqual({ exit: 130, ...restored });
  expect(run.text()).toMatch(/left at once: (?:\w+\.\d+ may still be running|nothing is running)/);
  expect(await own.run(['wait', '@last'], { cwd: directory })).toMatchObject({ exit: 4 });
});

test('SIGTERM ends a watch alone and restores the terminal', async () => {
  const run = await view();
  process.kill(viewerPid(), 'SIGTERM');
  expect(await run.left()).toEqual({ exit: 143, ...restored });
});
