import { expect, test } from 'vitest';
import { pauseMs } from './pause.ts';

test('pauses grow, spread, and stay bounded', () => {
  expect(pauseMs(0, 0)).toBe(2);
  expect(pauseMs(0, 0.999)).toBeLessThan(6);
  expect(pauseMs(3, 0.5)).toBe(32);
  expect(pauseMs(1_000, 0.999)).toBeLessThan(375);
});
