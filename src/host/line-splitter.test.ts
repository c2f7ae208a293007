import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lineSplitter } from './line-splitter.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test('however a stream is cut, the lines are the same', () => {
  const texts = fc.array(
    fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[\r\n]/g, '')),
  );
  fc.assert(
    fc.property(texts, fc.array(fc.integer({ min: 1, max: 7 })), (lines, cuts) => {
      const whole = bytes(lines.map((line) => `${line}\n`).join(''));
      const splitter = lineSplitter(1_000);
      const found: string[] = [];
      let from = 0;
      for (const cut of [...cuts, whole.length]) {
        found.push(...splitter.push(whole.subarray(from, from + cut)));
        from += cut;
      }
      found.push(...splitter.push(whole.subarray(from)));
      expect(found).toEqual(lines);
      expect(splitter.rest()).toBeNull();
    }),
  );
});

test('a line that is too long is dropped whole, and the next one is read (L-I2)', () => {
  const splitter = lineSplitter(5);
  expect(splitter.push(bytes('12345\n123'))).toEqual(['12345']);
  expect(splitter.push(bytes('456\r\nnext'))).toEqual([]);
  expect(splitter.dropped).toBe(1);
  expect(splitter.push(bytes('\r\n'))).toEqual(['next']);
});

test('what came after the last end is the rest', () => {
  const splitter = lineSplitter(5);
  splitter.push(bytes('a\nb'));
  expect(splitter.rest()).toBe('b');
  expect(splitter.rest()).toBeNull();
});
