/** Goal: every way of typing something wrong is answered, in both forms, with its exit code. */
import { expect, test } from 'vitest';
import { typed } from '../../test/support/scripted-cli.ts';
import { commandRows } from './commands.ts';

test.each([
  [['bogus'], 'unknown_command'],
  [['stop', '7k2m'], 'unknown_command'],
  [['status', '--jsn'], 'unknown_flag'],
  [['pause'], 'usage'],
  [['pause', '7k2m', 'more'], 'usage'],
  [['list', '--status', 'failed'], 'bad_value'],
  [['resume', '7k2m', '--attempts', 'three'], 'bad_value'],
  [['resume', '7k2m', '--on', 'worker'], 'not_supported'],
  [['watch', '--heartbeat', 'soon', '7k2m'], 'bad_value'],
  [['run', 'x', '--agent-cmd', "a 'b"], 'bad_value'],
  [['show', 'zzzz'], 'run_not_found'],
  [['help', 'nothing'], 'usage'],
  [['--server', 'x', 'status'], 'not_supported'],
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

test('words of other tools are answered, not met with silence (UX 2.1)', async () => {
  const { err } = await typed(['stop']);
  expect(err).toContain('pause (can be resumed) or cancel (ends it; the work is kept)');
  expect((await typed(['merge'])).err).toContain('pawl land <run>');
});

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

test('global flags may stand before the command', async () => {
  expect((await typed(['--json', 'status'])).out).toContain('pawl.status/1');
  expect((await typed(['-C', '/elsewhere', '--color', 'never', 'list'])).exit).toBe(0);
});
