import { expect, test } from 'vitest';
import { livenessFile, livenessFileDefaults, livenessOf } from './liveness.ts';

test('what differs from the usual stands in the canonical form, and nothing else', () => {
  expect(livenessOf({})).toEqual({});
  expect(livenessOf({ liveness: {} })).toEqual({});
  expect(livenessOf({ liveness: { ...livenessFileDefaults } })).toEqual({});
  expect(livenessOf({ liveness: { idle: '5m', toolCall: '180s', toolProgress: '1h' } })).toEqual({
    liveness: { idleMs: 300_000, toolCallMs: null, toolProgressMs: 3_600_000 },
  });
});

test('and is told again as it was given', () => {
  expect(livenessFile({})).toEqual(livenessFileDefaults);
  const given = { idle: '5m', toolCall: '4m', toolProgress: '1h' };
  expect(livenessFile(livenessOf({ liveness: given }))).toEqual(given);
});
