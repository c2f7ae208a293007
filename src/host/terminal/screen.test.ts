import { afterEach, describe, expect, test } from 'vitest';
import { unwrapped } from './lane-terminal.ts';
import { type TerminalScreen, terminalScreen } from './screen.ts';

const open: TerminalScreen[] = [];
afterEach(() => {
  for (const screen of open.splice(0)) screen.close();
});

async function shown(text: string, answers: string[] = []): Promise<TerminalScreen> {
  const screen = await terminalScreen({ columns: 120, rows: 40 }, (said) => answers.push(said));
  open.push(screen);
  screen.push(Buffer.from(text));
  await screen.painted();
  return screen;
}

const lines = (screen: TerminalScreen, from?: number) =>
  (from === undefined ? screen.rows() : screen.since(from)).map(({ text }) => text.trimEnd());

describe('a screen (RR-14)', () => {
  test('is what was painted, not what was printed', async () => {
    const screen = await shown('one\r\ntwo\r\u001b[2Kthree\u001b[1;1H\u001b[31mfirst\u001b[0m');
    expect(lines(screen).slice(0, 3)).toEqual(['first', 'three', '']);
    expect(lines(screen)).toHaveLength(40);
  });

  test('tells the rows that have scrolled off since a moment, and counts on when it holds no more', async () => {
    const screen = await shown('row\r\n'.repeat(60));
    const from = screen.scrolled;
    expect(from).toBe(21);
    screen.push(Buffer.from('a\r\nb\r\n'));
    await screen.painted();
    expect(lines(screen, from)).toHaveLength(42);
    screen.push(Buffer.from('more\r\n'.repeat(5_000)));
    await screen.painted();
    expect(screen.scrolled).toBe(21 + 2 + 5_000);
    expect(lines(screen, from)).toHaveLength(240);
  });

  test('that a program in its alternate screen repaints has no rows above it', async () => {
    const screen = await shown(`${'row\r\n'.repeat(60)}\u001b[?1049h\u001b[Hfull`);
    expect(lines(screen, 0)).toHaveLength(40);
    expect(lines(screen)[0]).toBe('full');
  });

  test('a row that the terminal broke is one row again', async () => {
    const screen = await shown(`${'x'.repeat(119)} ${'y'.repeat(10)}\r\nnext`);
    expect(unwrapped(screen.rows()).slice(0, 2)).toEqual([
      `${'x'.repeat(119)} ${'y'.repeat(10)}`,
      'next',
    ]);
  });

  test('knows whether the program takes pastes', async () => {
    expect((await shown('')).takesPastes).toBe(false);
    expect((await shown('\u001b[?2004h')).takesPastes).toBe(true);
  });
});

describe('what terminals are asked is answered', () => {
  test.each([
    ['what it is', '\u001b[c', '\u001b[?1;2c'],
    ['where the cursor stands', 'ab\u001b[6n', '\u001b[1;3R'],
    ['whether it is well', '\u001b[5n', '\u001b[0n'],
    ['the colour of text', '\u001b]10;?\u0007', '\u001b]10;rgb:ffff/ffff/ffff\u001b\\'],
    ['the colour behind it', '\u001b]11;?\u001b\\', '\u001b]11;rgb:0000/0000/0000\u001b\\'],
    ['the colour of the cursor', '\u001b]12;?\u0007', '\u001b]12;rgb:ffff/ffff/ffff\u001b\\'],
    ['the modes of its keyboard', '\u001b[?u', '\u001b[?0u'],
    ['its size', '\u001b[18t', '\u001b[8;40;120t'],
    ['whether it takes pastes', '\u001b[?2004$p', '\u001b[?2004;2$y'],
  ])('%s', async (_, asked, answer) => {
    const answers: string[] = [];
    await shown(asked, answers);
    expect(answers).toEqual([answer]);
  });

  test('what is told and not asked is not', async () => {
    const answers: string[] = [];
    await shown('\u001b]11;rgb:1/2/3\u0007\u001b[22t\u001b]0;title\u0007\u001b[21t', answers);
    expect(answers).toEqual([]);
  });
});
