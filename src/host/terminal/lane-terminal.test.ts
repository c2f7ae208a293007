/**
 * Goal: a lane whose program runs in a terminal is contained, recorded, read and ended like any.
 * Method: real programs in real terminals inside a real lane host; the rest of the world is
 * scripted.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { living, removeRig, run, type Script } from '../../../test/support/lane-rig.ts';
import { builtRunner } from '../../../test/support/terminal-runner.ts';
import { parseJournal } from '../../ports/journal.ts';
import { terminalRunner } from './runner-line.ts';

/** Real processes on a busy machine: a bound, not an expectation. */
vi.setConfig({ testTimeout: 60_000 });
let runner: Awaited<ReturnType<typeof builtRunner>>;
beforeAll(async () => {
  runner = await builtRunner();
}, 60_000);
afterAll(() => {
  removeRig();
  runner.remove();
});

async function painted(script: Script) {
  const ran = await run({
    ...script,
    lane: { protocol: 'pty', ...script.lane },
    options: { terminalRunner: terminalRunner(runner.program), ...script.options },
  });
  const journal = parseJournal(readFileSync(join(ran.spool, 'journal/000.ndjson'), 'utf8'));
  const textOf = (kind: string) =>
    journal.flatMap((line) => (line.kind === kind ? [line.text] : [])).join('\n');
  return { ...ran, rows: textOf('screen'), bytes: textOf('terminal'), notes: textOf('note') };
}

test('its bytes are the record, its rows are for people, and its exit is its own (RR-14)', async () => {
  const agent = `test -t 1 && stty size; cat "$1" > file
    printf '\\033[31mdone\\033[0m\\n'; echo "the key is $KEY"; exit 3`;
  const { result, rows, bytes, tree } = await painted({
    agent,
    secrets: { KEY: 'env:PLANTED' },
    options: {
      terminalRunner: terminalRunner(runner.program),
      env: { PATH: process.env['PATH'], PLANTED: 'planted-in-the-test' },
    },
  });
  expect(rows).toBe('40 120\ndone\nthe key is ‹redacted KEY›');
  expect(bytes).toContain('\u001b[31mdone\u001b[0m\r\n');
  expect(bytes).not.toContain('planted-in-the-test');
  expect(readFileSync(join(tree, 'file'), 'utf8')).toBe('make it work');
  expect(result).toMatchObject({
    ...{ kind: 'executed', outcome: 'turn_ended' },
    end: { exit: 3, signal: null, proof: 'kernel', lastLine: 'the key is ‹redacted KEY›' },
  });
});

test('one that is killed has died; a program that is not there is named', async () => {
  const { result } = await painted({ agent: 'echo up; kill -9 $$' });
  expect(result).toMatchObject({ kind: 'failed', class: 'lane_died' });
  const none = await run({
    ...{ agent: '', argv: ['no-such-agent', '{prompt}'], lane: { protocol: 'pty' } },
    options: { terminalRunner: terminalRunner(runner.program) },
  });
  expect(none.result).toMatchObject({
    ...{ kind: 'failed', class: 'dispatch_failed' },
    detail: expect.stringContaining('there is no program "no-such-agent"'),
  });
});

test('where no terminal can be opened the driver is named, and nothing has run', async () => {
  const { result, tree } = await run({ agent: 'touch ran', lane: { protocol: 'pty' } });
  expect(result).toMatchObject({
    ...{ kind: 'failed', class: 'dispatch_failed' },
    detail: expect.stringContaining('the driver pty cannot open a terminal here'),
  });
  expect(existsSync(join(tree, 'ran'))).toBe(false);
});

test('its whole tree ends with it, and a program that stays after its result is ended (L-D1)', async () => {
  const agent = `setsid sh -c 'trap "" HUP TERM; sleep 603; : "$0"' "$0" &
    echo '{"outcome":"done"}' > "$PAWL_RESULT_FILE"; sleep 604; true`;
  const { result, tree } = await painted({ agent });
  expect(result).toMatchObject({ kind: 'executed', outcome: 'turn_ended' });
  expect(living(tree)).toEqual([]);
});

test('it is answered what terminals are asked, and does not wait for ever', async () => {
  const agent = `stty raw -echo; printf '\\033[6n\\033[?u'; dd bs=1 count=11 of=answer 2> /dev/null`;
  const { tree } = await painted({ agent });
  expect(readFileSync(join(tree, 'answer'), 'latin1')).toBe('\u001b[1;1R\u001b[?0u');
});

/** A screen that takes pastes; with a key after one it works, and leaves what it got. */
const full = `
const { writeFileSync } = require('node:fs');
process.stdin.setRawMode(true);
process.stdout.write('\\x1b[?1049h\\x1b[?2004h\\x1b[Hwelcome\\r\\n> ');
let typed = '';
process.stdin.on('data', (keys) => {
  typed += keys;
  if (process.argv[1] === 'dialog') process.exit(0);
  const [, pasted, key] = /\\x1b\\[200~([\\s\\S]*)\\x1b\\[201~(\\r?)/.exec(typed) ?? [];
  if (pasted !== undefined) process.stdout.write('[' + pasted.split('\\r').length + ' lines pasted]');
  if (key !== '\\r') return;
  writeFileSync('prompt', pasted);
  process.stdout.write('\\r\\nworking on it');
  setTimeout(() => process.exit(0), 1500);
});`;

test('a prompt that has to be typed is one paste and one key, confirmed by its screen (RR-19, L-H10)', async () => {
  const argv = [process.execPath, '-e', full, 'prompt'];
  const { result, tree, notes, rows } = await painted({
    agent: '',
    argv,
    prompt: 'one\ntwo\nthree',
  });
  expect(readFileSync(join(tree, 'prompt'), 'utf8')).toBe('one\rtwo\rthree');
  expect(notes).toMatch(/its prompt: typed\n[\s\S]*its prompt: confirmed/);
  expect(rows).toContain('working on it');
  expect(result).toMatchObject({ kind: 'executed', outcome: 'turn_ended' });
});

test('a dialog that eats the prompt and exits well has not worked (L-H1)', async () => {
  const argv = [process.execPath, '-e', full, 'dialog'];
  const { result } = await painted({ agent: '', argv });
  expect(result).toMatchObject({
    ...{ kind: 'failed', class: 'dispatch_failed' },
    detail: expect.stringContaining('the prompt was not delivered: the program ended before'),
  });
});
