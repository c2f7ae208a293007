import { expect, test } from 'vitest';
import { parseDuration, printDuration } from './duration.ts';
import { nearest } from './nearest.ts';

test.each([
  ['90s', 90_000],
  ['15m', 900_000],
  ['1h30m', 5_400_000],
  ['1.5h', 5_400_000],
  ['7d', 604_800_000],
  ['250ms', 250],
])('%s is %i ms', (text, ms) => expect(parseDuration(text)).toBe(ms));

test.each(['', '5', 'soon', '5 m', '-5m', '5m!', 'NaNs', '1e3s'])('"%s" is no span', (text) =>
  expect(parseDuration(text)).toBe(null),
);

test('what is printed reads back', () => {
  for (const ms of [1, 999, 1_000, 90_000, 3_600_000, 5_400_000, 604_800_000]) {
    expect(parseDuration(printDuration(ms))).toBe(ms);
  }
});

test.each([
  ['atempts', 'attempts'],
  ['maxAttempts', 'attempts'],
  ['cots', 'cost'],
  ['zzzzzz', null],
])('the nearest to %s is %s', (typed, found) => {
  expect(nearest(typed, ['attempts', 'cost', 'time', 'tokens'])).toBe(found);
});
