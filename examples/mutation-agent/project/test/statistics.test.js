import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mean, median, range, sum, variance } from '../src/statistics.js';

test('the sum of nothing is zero', () => assert.equal(sum([]), 0));
test('the sum adds all values', () => assert.equal(sum([1, 2, 3.5]), 6.5));
test('the mean of equal values is that value', () => assert.equal(mean([4, 4, 4]), 4));
test('the mean lies between the values', () => assert.equal(mean([1, 2, 3, 6]), 3));
test('the mean of nothing is refused', () => assert.throws(() => mean([]), RangeError));
test('the range is the widest distance', () => assert.equal(range([3, -2, 10]), 12));
test('the range of one value is zero', () => assert.equal(range([7]), 0));
test('the median of an odd count is the middle value', () => assert.equal(median([9, 1, 5]), 5));
test('the median sorts by number, not by text', () => assert.equal(median([10, 9, 100]), 10));
test('the median of an even count is the mean of both middles', () =>
  assert.equal(median([1, 2, 3, 10]), 2.5));
test('the median leaves its input alone', () => {
  const values = [3, 1, 2];
  median(values);
  assert.deepEqual(values, [3, 1, 2]);
});
test('the variance of equal values is zero', () => assert.equal(variance([5, 5]), 0));
