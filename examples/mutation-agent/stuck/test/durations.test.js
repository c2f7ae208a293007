import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDuration, parseDuration } from '../src/durations.js';

test('seconds are read', () => assert.equal(parseDuration('90s'), 90));
test('minutes are read', () => assert.equal(parseDuration('5m'), 300));
test('hours are read', () => assert.equal(parseDuration('2h'), 7200));
test('space around is ignored', () => assert.equal(parseDuration(' 1s '), 1));
test('nonsense is refused', () => assert.throws(() => parseDuration('soon'), RangeError));
test('a bare number is refused', () => assert.throws(() => parseDuration('12'), RangeError));
test('compound durations are read', () => assert.equal(parseDuration('1h30m'), 5400));
test('seconds are shown', () => assert.equal(formatDuration(59), '59s'));
test('a minute is shown as minutes', () => assert.equal(formatDuration(60), '1m'));
test('minutes are rounded down', () => assert.equal(formatDuration(119), '1m'));
test('an hour is shown as hours', () => assert.equal(formatDuration(3600), '1h'));
test('hours are rounded down', () => assert.equal(formatDuration(7199), '1h'));
