import fc from 'fast-check';
import { expect, test } from 'vitest';
import { clip, clipLine, clipUtf8, quotePath, utf8Length } from './text.ts';

test('a text that fits is left alone', () => {
  expect(clip('abc', 3)).toBe('abc');
  expect(clipUtf8('äöü', 6)).toBe('äöü');
});

test('a cut never halves a character', () => {
  expect(clip('ab😀cd', 4)).toBe('ab…');
  expect(clip('ab😀cd', 5)).toBe('ab😀…');
  expect(clip('abc', 0)).toBe('');
  expect(clip('abc', 1)).toBe('…');
  expect(clipUtf8('a😀b', 4)).toBe('a');
  expect(clipUtf8('äöü', 5)).toBe('äö');
  expect(clipUtf8('日本', 4)).toBe('日');
});

test('a line has no line breaks and no control characters', () =>
  expect(clipLine(' a\r\n\tb\u2028c\u0007 ', 10)).toBe('a b c'));

test.each([
  ['a b/ä 日本.txt', 'a b/ä 日本.txt'],
  ['a\nb.txt', '"a\\nb.txt"'],
  ['a"b\\c\td', '"a\\"b\\\\c\\td"'],
  ['\u001b[2J', '"\\033[2J"'],
  ['x\u202ey', '"x\\342\\200\\256y"'],
])('a path is quoted as git does: %j', (path, shown) => expect(quotePath(path)).toBe(shown));

test('clipping is bounded, a prefix, and well formed', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(40), (text, most) => {
      expect(clip(text, most).length).toBeLessThanOrEqual(Math.max(most, 0));
      const cut = clipUtf8(text, most);
      expect(text.startsWith(cut)).toBe(true);
      expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(most);
      expect(utf8Length(text)).toBe(Buffer.byteLength(text));
    }),
  );
});
