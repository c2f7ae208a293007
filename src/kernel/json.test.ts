import { expect, test } from 'vitest';
import { amountOf, fieldsIn, fieldsOf, isFields, numberOf, parsedJson } from './json.ts';

test.each([
  ['{"a":1}', { a: 1 }],
  ['null', null],
  ['{"a":', null],
  ['', null],
])('%j is %j', (text, value) => expect(parsedJson(text)).toEqual(value));

test('what is no text is a bug, not bad input', () => {
  expect(() => parsedJson(Symbol('x') as unknown as string)).toThrow(TypeError);
});

test('fields are of an object: a list has none, and nothing has none', () => {
  expect([{}, { a: 1 }].map(isFields)).toEqual([true, true]);
  expect([[], [{}], null, undefined, 'text', 1].map(isFields)).toEqual(Array(6).fill(false));
  expect(fieldsOf({ a: 1 })).toEqual({ a: 1 });
  expect([fieldsOf(['a']), fieldsOf(null)]).toEqual([{}, {}]);
  expect(fieldsIn([{ a: 1 }, [], null, 'text'])).toEqual([{ a: 1 }]);
});

test('a number is finite, and an amount is not below zero either', () => {
  const values = [-1, -0.5, 0, 2.5, Number.NaN, Number.POSITIVE_INFINITY, '1', null];
  expect(values.map(numberOf)).toEqual([-1, -0.5, 0, 2.5, null, null, null, null]);
  expect(values.map(amountOf)).toEqual([null, null, 0, 2.5, null, null, null, null]);
});
