import fc from 'fast-check';
import { expect, test } from 'vitest';
import { eventReader } from './sse.ts';

/** The stream in pieces that begin and end anywhere, also inside of a character. */
function cut(bytes: Uint8Array, at: readonly number[]): readonly Uint8Array[] {
  const places = [...new Set(at.map((one) => one % (bytes.length + 1)))].sort((a, b) => a - b);
  const borders = [0, ...places, bytes.length];
  return borders.slice(1).map((to, index) => bytes.slice(borders[index], to));
}

function read(chunks: readonly Uint8Array[], charsMax?: number): readonly string[] {
  const reader = eventReader(charsMax);
  return [...chunks.flatMap((chunk) => reader.push(chunk)), ...reader.end()];
}

const line = fc.string({ unit: 'binary' }).map((text) => text.replaceAll(/[\r\n]/g, ''));
const event = fc.record({ data: fc.array(line, { minLength: 1, maxLength: 3 }), name: line });
const ending = fc.constantFrom('\n', '\r\n');

test('the events are the same wherever the stream is cut into chunks', () => {
  fc.assert(
    fc.property(
      fc.array(event, { maxLength: 6 }),
      ending,
      fc.array(fc.nat(), { maxLength: 30 }),
      (events, end, at) => {
        const source = events
          .map(({ data, name }) => [`event: ${name}`, ...data.map((one) => `data: ${one}`), ''])
          .map((lines) => [...lines, ''].join(end))
          .join('');
        const wanted = events.map(({ data }) => data.join('\n'));
        const bytes = Buffer.from(Buffer.from(source).toString());
        // A lone surrogate becomes the replacement character on its way into bytes.
        const sent = wanted.map((text) => Buffer.from(text).toString());
        expect(read(cut(bytes, at))).toEqual(sent);
      },
    ),
    { numRuns: 500 },
  );
});

test('any bytes are read without a fault, and the same in one chunk as in many', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), fc.array(fc.nat()), (bytes, at) => {
      expect(read(cut(bytes, at))).toEqual(read([bytes]));
    }),
    { numRuns: 500 },
  );
});

test('an event longer than the bound is given up on, and nothing after it is invented', () => {
  const reader = eventReader(100);
  expect(reader.push(Buffer.from('data: a\n\n'))).toEqual(['a']);
  for (let n = 0; n < 20; n += 1) expect(reader.push(Buffer.from('data: 0123456789'))).toEqual([]);
  expect(reader.gaveUp()).toBe(true);
  expect(reader.push(Buffer.from('\n\ndata: b\n\n'))).toEqual([]);
  expect(reader.end()).toEqual([]);
});
