/** Goal: every way of typing something wrong is answered, in both forms, with its exit code. */
import { expect, test } from 'vitest';
import { exampleView } from '../../test/support/example-run.ts';
import { typed } from '../../test/support/scripted-cli.ts';
import { scriptedClient } from '../../test/support/scripted-client.ts';
import { planeRefusalCodes } from '../contract/plane-refusals.ts';
import { errorCodes } from '../kernel/error-codes.ts';
import { RequestError } from '../kernel/errors.ts';
import { commandRows } from './commands.ts';

test.each([
  [['bogus'], 'unknown_command'],
  [['stop', '7k2m'], 'unknown_command'],
  [['status', '--jsn'], 'unknown_flag'],
  [['pause'], 'usage'],
  [['pause', '7k2m', 'more'], 'usage'],
  [['list', '--status', 'failed'], 'bad_value'],
  [['resume', '7k2m', '--attempts', 'three'], 'bad_value'],
  [['run', 'x', '--plan'], 'not_supported'],
  [['watch', '--heartbeat', 'soon', '7k2m'], 'bad_value'],
  [['run', 'x', '--agent-cmd', "a 'b"], 'bad_value'],
  [['show', 'zzzz'], 'run_not_found'],
  [['help', 'nothing'], 'usage'],
  [['--server', 'x', 'status'], 'bad_value'],
  [['--server', 'http://h:1/path', 'status'], 'bad_value'],
  [['--server', '', 'status'], 'bad_value'],
  [['--server', 'http://:secret@h:1', 'status'], 'bad_value'],
  [['--server', 'https://h:1', 'doctor'], 'not_remote'],
  [['--server', 'http://[::1]:1', 'doctor'], 'not_remote'],
  [['--server', 'https://h:1', 'operator', 'list'], 'not_remote'],
  [['--server', 'https://h:1', 'worker', 'list'], 'not_remote'],
  [['--server', 'https://h:1', 'config', 'path'], 'not_remote'],
  [['--server', 'http://h:1', 'status'], 'server_insecure'],
  [['--server', 'http://127.0.0.1.example:1', 'status'], 'server_insecure'],
  [['--server', 'http://h:1', 'worker'], 'server_insecure'],
  [['serve', '--drain', '--listen', '10.0.0.7:1'], 'server_insecure'],
  [['serve', '--drain', '--insecure'], 'usage'],
  [['serve', '--drain', '--server', 'http://localhost:1', '--listen', 'localhost:1'], 'usage'],
])(
  '%j is refused with %s, exit 2, and one object with --json (L-I10, L-I11)',
  async (line, code) => {
    const plain = await typed(line);
    expect({ exit: plain.exit, out: plain.out }).toEqual({ exit: 2, out: '' });
    expect(plain.err).toContain(`error[${code}]`);
    expect(plain.err).toMatch(/\n {2}next {9}\S/);
    const json = await typed([...line, '--json']);
    expect(json.exit).toBe(2);
    expect(json.err).toBe('');
    expect(JSON.parse(json.out)).toMatchObject({
      schema: 'pawl.error/1',
      exit: 2,
      error: { code },
    });
  },
);

test('what to type next is the help of the command that was typed, or tries the file (UX 0.3)', async () => {
  expect((await typed(['list', '--limit', '0'])).err).toContain('pawl list --help');
  expect((await typed(['--json', 'wait', '7k2m', '--timeout', 'x'])).out).toContain(
    '"next":"See what is allowed: pawl wait --help"',
  );
  const status = (await typed(['list', '--status', 'x'])).err;
  expect(status).toMatch(/next +See what is allowed: pawl list --help$/m);
  expect((await typed(['list', '--nosuch'])).err).toMatch(/next +pawl list --help$/m);
  expect((await typed(['nosuch'])).err).toMatch(/next +pawl --help$/m);
  const where = 'pawl.yaml:3:5';
  const error = new RequestError('bad_value', '"brakes" must be a map', { where });
  const client = Object.assign(scriptedClient(), { find: () => Promise.reject(error) });
  expect((await typed(['show', '7k2m'], { client })).err).toMatch(
    /next +\S.*: pawl config check$/m,
  );
  expect((await typed(['help', 'nosuch'])).err).toMatch(/next +pawl help$/m);
  expect((await typed(['help', 'land'])).err).toMatch(/next +pawl land --help$/m);
});

test('the code of every error can be looked up: what it means and what to do', async () => {
  for (const code of Object.keys(errorCodes)) {
    const { exit, out } = await typed(['help', code]);
    expect({ exit, out }, code).toEqual({
      exit: 0,
      out: expect.stringMatching(/^[\s\S]+\nWhat it means\n {2}\S[\s\S]+\nWhat to do\n {2}\S/),
    });
  }
  for (const code of planeRefusalCodes.filter((one) => !Object.hasOwn(errorCodes, one))) {
    const { exit, out } = await typed(['help', code]);
    expect({ exit, out }, code).toEqual({
      exit: 0,
      out: expect.stringMatching(/told by the server[\s\S]+\nWhat to do\n {2}\S/),
    });
  }
  expect((await typed(['help', 'dirty_tre'])).err).toMatch(/next +pawl help dirty_tree$/m);
});

test('a run without work has an empty diff: looking is no error', async () => {
  const client = scriptedClient([exampleView({ head: null, attempts: [] })]);
  const { exit, out } = await typed(['diff', '7k2m'], { client });
  expect({ exit, out }).toMatchObject({ exit: 0, out: expect.stringMatching(/no work yet\n/) });
  const json = await typed(['diff', '7k2m', '--json'], { client });
  expect(JSON.parse(json.out)).toMatchObject({ schema: 'pawl.diff/1', to: null, files: [] });
});

test.each([
  ['list', 'no runs'],
  ['approve', 'nothing waits for approval'],
  ['prune', 'nothing to remove'],
])('%s says that it looked in this project alone, where it did', async (name, what) => {
  const client = { ...scriptedClient([]), prunable: async () => [] };
  const here = await typed([name], { client });
  expect(here.out).toBe(`${what} in this project · pawl ${name} -A looks in every one\n`);
  const everywhere = await typed([name, '-A'], { client });
  expect(everywhere.out).toBe(`${what}.\n`);
});

test('a goal that is too long is refused, not cut', async () => {
  const terminal = { files: { '/home/me/dates/g.md': 'ä'.repeat(600_000) } };
  const { exit, err } = await typed(['run', '-f', 'g.md', '-c', 'x'], { terminal });
  expect(exit).toBe(2);
  expect(err).toContain('a goal has at most 1000000 bytes');
  expect(err).toContain('1200000 bytes');
});

test('words of other tools are answered, not met with silence (UX 2.1)', async () => {
  const { err } = await typed(['stop']);
  expect(err).toContain('pause (can be resumed) or cancel (ends it; the work is kept)');
  expect((await typed(['merge'])).err).toContain('pawl land <run>');
});

test.each(['ui', 'loop', 'plan', 'task', 'mcp', 'skill'])(
  '%s is refused by name, with what there is instead',
  async (name) => {
    const { exit, err } = await typed([name, 'list']);
    expect(exit).toBe(2);
    expect(err).toContain(`"${name}" is not in this version: `);
    expect(err).not.toContain('did you mean');
    expect(err).toMatch(/\n {2}next {9}pawl \w+/);
  },
);

test('a slip of the finger gets the nearest command and flag', async () => {
  expect((await typed(['stauts'])).err).toContain('did you mean:  pawl status');
  expect((await typed(['status', '--exitcode'])).err).toContain('did you mean --exit-code?');
});

test('a bug of ours is exit 70 and names its report', async () => {
  const { exit, out } = await typed(['status', '--json'], {
    env: {},
    client: new Proxy({} as never, {
      get: (_target, name) => {
        if (name === 'then') return undefined;
        throw new TypeError('broken on purpose');
      },
    }),
  });
  expect(exit).toBe(70);
  expect(JSON.parse(out)).toMatchObject({
    exit: 70,
    error: { code: 'internal_error', report: '/state/reports/1.txt' },
  });
});

test('help and version go to stdout, exit 0', async () => {
  expect(await typed(['--version'])).toMatchObject({ exit: 0, out: '0.1.0\n' });
  expect((await typed([])).out).toContain('Decide (operator)');
  for (const { name } of commandRows) {
    const { exit, out } = await typed([...name.split(' '), '--help']);
    expect({ exit, head: out.startsWith(`pawl ${name}`) }, name).toEqual({ exit: 0, head: true });
  }
});

test('a first word that several commands share has a help of its own (UX 0.3)', async () => {
  const { exit, out } = await typed(['db', '--help']);
  expect(exit).toBe(0);
  for (const { name } of commandRows.filter((row) => row.name.startsWith('db '))) {
    expect(out).toContain(`pawl ${name} `);
  }
  const { commands } = JSON.parse((await typed(['db', '--help', '--json'])).out);
  expect(commands).toContainEqual(expect.objectContaining({ name: 'db status' }));
  expect((await typed(['db'])).err).toContain('"db" is not a command of pawl');
  expect((await typed(['db', '--help', '--nosuch'])).err).toContain('error[unknown_flag]');
});

test('global flags may stand before the command', async () => {
  expect((await typed(['--json', 'status'])).out).toContain('pawl.status/1');
  expect((await typed(['-C', '/elsewhere', '--color', 'never', 'list'])).exit).toBe(0);
  const { exit, err } = await typed(['-C', '/nonexist', 'status']);
  expect(exit).toBe(2);
  expect(err).toContain('error[bad_value] --project: "/nonexist" is no folder');
});
