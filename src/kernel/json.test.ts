import { expect, test } from 'vitest';
import { parsedJson } from './json.ts';

test.each([
  ['{"a":1}', { a: 1 }],
  ['null', null],
  ['{"a":', null],
  ['', null],
])('%j is %j', (text, value) => expect(parsedJson(text)).toEqual(value));

test('what is no text is a bug, not bad input', () => {
  expect(() => parsedJson(Symbol('x') as unknown as string)).toThrow(TypeError);
});
