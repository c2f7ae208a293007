import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatDuration, parseDuration } from './duration.ts';

test('spans are written as people write them (UX 0.3)', () => {
  const read = {
    '8h': 28_800_000,
    '90m': 5_400_000,
    '10m': 600_000,
    '15s': 15_000,
    '14d': 1_209_600_000,
  };
  for (const [text, ms] of Object.entries(read)) expect(parseDuration(text)).toBe(ms);
  expect(parseDuration(' 1h30m ')).toBe(5_400_000);
  expect(parseDuration('1.5h')).toBe(5_400_000);
  expect(parseDuration('250ms')).toBe(250);
  expect(parseDuration('0s')).toBe(0);
});

test('what is no span is none', () => {
  for (const text of [
    '',
    '10',
    'h',
    '-5m',
    '5 m',
    '5w',
    '1e3s',
    'ten minutes',
    `${'9'.repeat(20)}d`,
  ]) {
    expect(parseDuration(text), text).toBeNull();
  }
});

test('spans are shown with two units, the smaller one with two digits (UX 0.3)', () => {
  const shown = {
    0: '0s',
    300: '0.3s',
    1000: '1s',
    8000: '8s',
    9949: '9.9s',
    41000: '41s',
    724000: '12m04s',
    3720000: '1h02m',
    60000: '1m00s',
    59600: '1m00s',
    3599600: '1h00m',
    86400000: '1d00h',
    273600000: '3d04h',
  };
  for (const [ms, text] of Object.entries(shown)) expect(formatDuration(Number(ms))).toBe(text);
  expect(formatDuration(-5)).toBe('0s');
  expect(formatDuration(Number.NaN)).toBe('0s');
});

test('what is shown can be read again, within the precision shown', () => {
  fc.assert(
    fc.property(fc.nat(8_640_000_000), (ms) => {
      const again = parseDuration(formatDuration(ms)) ?? -1;
      expect(Math.abs(again - ms)).toBeLessThanOrEqual(Math.max(500, ms * 0.05));
    }),
  );
});
