/** Goal: nothing that a lane prints fills the screen without end or commands the terminal. */
import { expect, test } from 'vitest';
import { exampleView, execution } from '../../test/support/example-run.ts';
import { typed } from '../../test/support/scripted-cli.ts';
import { type ScriptedClient, scriptedClient } from '../../test/support/scripted-client.ts';
import type { LogLine, RunView } from '../ports/client.ts';
import { lineJoiner, lineMax } from '../ports/log-lines.ts';
import { boundedLine, visible } from './log-lines.ts';

const chunk = (text: string, kind = 'stdout', seq = 1): LogLine =>
  ({ seq, at: 1, kind, text }) as LogLine;
const texts = (lines: readonly { readonly text: string }[]) => lines.map(({ text }) => text);

test('lines are put together from chunks, each stream by itself', () => {
  const joiner = lineJoiner(100);
  expect(texts(joiner.take(execution(1), chunk('one\ntw')))).toEqual(['one']);
  expect(texts(joiner.take(execution(1), chunk('warn\n', 'stderr')))).toEqual(['warn']);
  expect(texts(joiner.take(execution(1), chunk('o\nthree')))).toEqual(['two']);
  expect(texts(joiner.take(execution(1), chunk('ours', 'note')))).toEqual(['ours']);
  expect(texts(joiner.take(execution(2), chunk('next\n')))).toEqual(['three', 'next']);
  expect(joiner.flush()).toEqual([]);
});

test('a line without end is kept to its bound and counted beyond (L-I1)', () => {
  const joiner = lineJoiner(10);
  for (let n = 0; n < 50; n += 1) joiner.take(execution(1), chunk('0123456789'));
  expect(joiner.flush()).toMatchObject([{ text: '0123456789', left: 490 }]);
});

test('a cut line says how much is not shown, and how to get it', () => {
  expect(boundedLine('\u001b[31mred\u001b[0m', 0, 'x')).toBe('red');
  const long = boundedLine('a'.repeat(lineMax + 5), 7, 'pawl logs 7k2m --raw > file');
  expect(long.slice(lineMax)).toBe(
    ' … 12 more characters; the whole line: pawl logs 7k2m --raw > file',
  );
});

test('control and direction characters become text', () => {
  expect(visible('\u001b]0;title\u0007 \u202eabc\u009b2J\tx')).toBe(
    '\\x1b]0;title\\x07 \\u202eabc\\x9b2J\tx',
  );
});

const evil = '\u001b]0;owned\u0007\u001b[2J\u202eok\r\u009b31m';
function printing(...lines: readonly string[]): ScriptedClient {
  const client = scriptedClient();
  client.emit(0, {
    type: 'job.dispatched',
    execution: execution(3),
    n: 3,
    attempt: 1,
    point: { job: 'execute', session: 'fresh', tree: 'same', commit: null },
    why: 'first',
    tries: 0,
    parseRetries: 0,
    at: 1,
  } as never);
  return logging(
    client,
    lines.map((text, i) => chunk(text, 'stdout', i + 1)),
  );
}

function logging(client: ScriptedClient, chunks: readonly LogLine[]): ScriptedClient {
  return {
    ...client,
    log: async (_execution, after) => ({
      lines: chunks.filter(({ seq }) => seq > after),
      ended: true,
    }),
  };
}

test.each([[[]], [['--raw']]] as const)(
  'no control character of a lane reaches a terminal, with %j (L-I3)',
  async (flags) => {
    const client = printing(`${evil.slice(0, 4)}`, `${evil.slice(4)}\n`);
    const { out } = await typed(['logs', '7k2m', ...flags], {
      client,
      terminal: { isTerminal: true },
    });
    expect(out).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
    expect(out).toContain('ok');
  },
);

test('in a pipe --raw is what was recorded, and --json keeps the text whole', async () => {
  const whole = 'x'.repeat(100_000);
  const client = printing(`${evil}\n${whole}`);
  expect((await typed(['logs', '7k2m', '--raw'], { client })).out).toBe(`${evil}\n${whole}\n`);
  const { out } = await typed(['logs', '7k2m'], { client });
  expect(out.length).toBeLessThan(3_000);
  expect(out).toContain('98000 more characters; the whole line: pawl logs 7k2m --raw > file');
  const json = await typed(['logs', '7k2m', '--json'], { client });
  expect(JSON.parse(json.out)).toMatchObject({ text: `${evil}\n${whole}` });
});

test('-n counts lines, not chunks', async () => {
  const client = printing('1\n2\n3\n4\n', '5\n6');
  expect((await typed(['logs', '7k2m', '-n', '3'], { client })).out).toBe('4\n5\n6\n');
  expect((await typed(['logs', '7k2m', '-n', '0'], { client })).out).toBe('');
});

test('of a lane on a terminal the rows are shown, and with --raw its bytes (RR-14)', async () => {
  const painted = [
    chunk('it began', 'note', 1),
    chunk('\u001b[H\u001b[2J| working (1s)', 'terminal', 2),
    chunk('read the file\nwrote the test', 'screen', 3),
    chunk('\r/ working (2s)', 'terminal', 4),
  ];
  const client = logging(printing(), painted);
  expect((await typed(['logs', '7k2m'], { client })).out).toBe(
    '[note] it began\nread the file\nwrote the test\n',
  );
  const raw = await typed(['logs', '7k2m', '--raw'], { client });
  expect(raw.out).toBe('it began\n\u001b[H\u001b[2J| working (1s)\r/ working (2s)\n');
});

test('of a protocol the words and tools are shown, and with --raw its messages', async () => {
  const spoken = [
    chunk('the agent runs as pid 7', 'note', 1),
    chunk('{"type":"text","text":"I lo', 'protocol', 2),
    chunk('I look\n', 'said', 3),
    chunk('Bash: npm test', 'tool', 4),
    chunk('ok"}\n', 'protocol', 5),
  ];
  const client = logging(printing(), spoken);
  expect((await typed(['logs', '7k2m'], { client })).out).toBe(
    '[note] the agent runs as pid 7\nI look\n[tool] Bash: npm test\n',
  );
  const raw = await typed(['logs', '7k2m', '--raw'], { client });
  expect(raw.out).toBe('the agent runs as pid 7\n{"type":"text","text":"I look"}\n');
});

test('where nothing is recorded that is said, and where the lane works', async () => {
  const worker = { id: 'w-1', name: 'box' };
  const said = async (change: Partial<RunView>) => {
    const client = printing();
    client.change({ ...change });
    const { exit, out, err } = await typed(['logs', '7k2m', '--attempt', '1'], { client });
    expect([exit, out]).toEqual([0, '']);
    return err;
  };
  expect(await said({ execution: null })).toContain('nothing that it printed is recorded here');
  expect(await said({ execution: null, worker })).toContain('printed on worker box is recorded');
  const open = { ...exampleView().execution, id: execution(3) } as RunView['execution'];
  expect(await said({ execution: open, worker })).toContain('it works on worker box');
});
