import { expect, test } from 'vitest';
import { placeholders, unknownPlaceholders } from './placeholders.ts';

test('a word in braces that is no token is named once (SL-76)', () => {
  const argv = ['tool', '{prompt}', '--x={nope}', '{nope} {promt}'];
  expect(unknownPlaceholders(argv)).toEqual(['nope', 'promt']);
});

test('known tokens, and braces that mean something else, pass', () => {
  expect(unknownPlaceholders(placeholders.map((name) => `a{${name}}b`))).toEqual([]);
  expect(
    unknownPlaceholders(['$'.concat('{home}'), '{A}', '{}', '{"a":1}', '{ print }', '{a,b}']),
  ).toEqual([]);
});
