/**
 * Goal: what a lane, a goal or a name holds takes the columns that we count, and none of it reaches
 * the terminal as more than text.
 */
import { expect, test } from 'vitest';
import { scriptedIo } from '../../test/support/scripted-io.ts';
import { shownOf } from '../kernel/shown.ts';
import { columnsOf, isCi, paint, styleOf } from './style.ts';
import { clean, cut, firstLine, widthOf } from './text.ts';

test.each([
  ['plain', 5],
  ['日本語', 6],
  ['한국어', 6],
  ['e\u0301te\u0301', 3],
  ['\u1112\u1161\u11ab', 2],
  ['✓ ok · 3', 8],
  ['🚀', 2],
  ['⌚', 2],
  ['👩‍👩‍👧', 2],
  ['👍🏽', 2],
  ['🇩🇪', 2],
  ['1️⃣', 2],
  ['ｆｕｌｌ', 8],
  ['\u001b[31mred\u001b[0m', 3],
])('%j takes %i columns (UX 3.2)', (text, columns) => {
  expect(widthOf(text)).toBe(columns);
});

test('a character of several code points is cut as a whole', () => {
  expect(cut('ab👩‍👩‍👧cd', 4)).toBe('ab…');
  expect(cut('ab👩‍👩‍👧cd', 5)).toBe('ab👩‍👩‍👧…');
  expect(cut('日本語', 5)).toBe('日本…');
  expect(cut('cafe\u0301s', 5)).toBe('cafe\u0301s');
});

test('sequences that a terminal obeys are taken out, whole or cut short', () => {
  const hostile = [
    '\u001b[2J\u001b[H',
    '\u001b]0;title\u0007',
    '\u001b]8;;http://x\u001b\\',
    '\u001bP1$r0m\u001b\\',
    '\u001b_G1\u001b\\',
    '\u001b[?1049h',
    '\u009b2J',
    '\u202e',
    '\u0007\u0008',
    '\u001b(0',
    '\u001b]52;c;AAAA',
  ];
  for (const one of hostile) {
    expect(clean(`a${one}b`), JSON.stringify(one)).not.toMatch(
      /[\u0000-\u001f\u007f-\u009f\u202e]/,
    );
    expect(clean(`a${one}`)).toMatch(/^a/);
  }
});

test('of a line that is written over and over the newest state is shown', () => {
  expect(firstLine('10%\r20%\r30%')).toBe('30%');
  expect(firstLine('building\r\n')).toBe('building');
  expect(firstLine('\r\r  \n next')).toBe('next');
});

test('a line without end costs no more than its beginning', () => {
  expect(shownOf('x'.repeat(1_000_000)).length).toBeLessThan(10_000);
  expect(firstLine(`${'\u001b['.repeat(500_000)}`)).toBeDefined();
  expect(widthOf(firstLine('日'.repeat(1_000_000)))).toBeLessThan(20_000);
});

const ascii = { columns: 100, isColored: false, isUtf8: false };

test('signs fall back without UTF-8, and the columns stay where they are (UX 0.3)', () => {
  expect(paint('✓ a', ascii)).toBe('ok a');
  expect(paint('✗ a', ascii)).toBe('fail a');
  expect(paint('● a', ascii)).toBe('.. a');
  expect(paint('◷ a', ascii)).toBe('wait a');
  expect(paint(' ! a', ascii)).toBe(' !! a');
  expect(paint('? a', ascii)).toBe('?? a');
  expect(paint('✓ complete   name      x', ascii)).toBe('ok complete  name      x');
  expect(paint('◷ waiting    until', ascii)).toBe('wait waiting until');
  expect(paint('a long text that was cut…', ascii)).toBe('a long text that was c...');
});

test('nothing but ASCII reaches a terminal that knows nothing else', () => {
  expect(paint('goal  日本語 é \u009b', ascii)).toMatch(/^[\u0020-\u007e]*$/);
  expect(paint('日本', ascii)).toBe('????');
});

test('colour and fallback go together', () => {
  expect(paint('  ✓ done', { ...ascii, isColored: true })).toBe('  \u001b[32mok\u001b[0m done');
  expect(paint('! x', { ...ascii, isColored: true })).toBe('\u001b[33m!!\u001b[0m x');
});

test('CI, NO_COLOR and a dumb terminal are honoured (UX 0.3)', () => {
  const io = scriptedIo({ isTerminal: true, columns: 80 });
  expect(styleOf(io, {}, 'auto').isColored).toBe(true);
  for (const env of [{ CI: 'true' }, { NO_COLOR: '1' }, { TERM: 'dumb' }])
    expect(styleOf(io, env, 'auto').isColored).toBe(false);
  expect(styleOf(io, { NO_COLOR: '1' }, 'always').isColored).toBe(true);
  expect([isCi({ CI: '1' }), isCi({ CI: 'false' }), isCi({ CI: '' }), isCi({})]).toEqual([
    true,
    false,
    false,
    false,
  ]);
  expect(styleOf(io, { LANG: 'C' }, 'auto')).toMatchObject({ isUtf8: false, columns: 78 });
  expect(columnsOf(io, true)).toBe(80);
});
