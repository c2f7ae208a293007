import { expect, test } from 'vitest';
import { outputRows } from './output-rows.ts';

const taken = (...texts: readonly (string | Uint8Array)[]) => {
  const rows = outputRows();
  for (const text of texts) rows.push(typeof text === 'string' ? Buffer.from(text) : text);
  return rows.take();
};

test('lines, and what carriage returns paint over them, are rows; colours are not', () => {
  expect(taken('one\r\ntwo\n\u001b[32mthree\u001b[0m\rfour')).toEqual([
    ...['one', 'two', 'three', 'four'],
  ]);
});

test('a row and a character may come in pieces', () => {
  const bytes = Buffer.from('größe\n');
  expect(taken('die ', bytes.subarray(0, 3), bytes.subarray(3))).toEqual(['die größe', '']);
});

test('what was taken is not taken again, but for a row that goes on', () => {
  const rows = outputRows();
  rows.push(Buffer.from('one\ntw'));
  expect(rows.take()).toEqual(['one', 'tw']);
  rows.push(Buffer.from('o\n'));
  expect(rows.take()).toEqual(['two', '']);
});

test('of a flood the newest rows are kept, of a long row its beginning', () => {
  const many = Array.from({ length: 500 }, (_, n) => `row ${n}`).join('\n');
  const rows = taken(`${many}\n`);
  expect([rows.length, rows[0], rows.at(-2)]).toEqual([201, 'row 300', 'row 499']);
  expect(taken('x'.repeat(5_000))[0]).toHaveLength(1_000);
});
