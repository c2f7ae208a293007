import { expect, test } from 'vitest';
import { noRows, settled } from './settled-rows.ts';

/** What is told of samples, each a screen. */
function told(...samples: readonly (readonly string[])[]): readonly (readonly string[])[] {
  let state = noRows;
  return [...samples, []].map((rows) => {
    const { after, stands } = settled(state, rows);
    state = after;
    return stands;
  });
}

test('a row is told once, when it stands', () => {
  expect(told(['one'], ['one', 'two'], ['one', 'two'], ['one', 'two'])).toEqual([
    ...[[], ['one'], ['two'], [], []],
  ]);
});

test('a row that still grows is waited for', () => {
  expect(told(['I am'], ['I am here'], ['I am here now'], ['I am here now'])).toEqual([
    ...[[], [], [], ['I am here now'], []],
  ]);
});

test('a spinner, a timer and a counter are told once, when they are gone', () => {
  const frames = ['⠋ Thinking (1s · 10 tokens)', '⠙ Thinking (2s · 20 tokens)', '⠹ Thinking (3s)'];
  const rows = frames.map((frame) => [frame]);
  expect(told(...rows, ['done']).flat()).toEqual([frames[1], frames[2], 'done']);
});

test('rows that differ in numbers alone are all told when they stand together', () => {
  expect(told(['line 1', 'line 2'], ['line 2', 'line 3'], ['line 4', 'line 5']).flat()).toEqual([
    ...['line 1', 'line 2', 'line 3', 'line 4', 'line 5'],
  ]);
});

test('blank rows, boxes and rules are nothing to tell', () => {
  expect(told(['', '────────', '│ │', '> _']).flat()).toEqual([]);
});

test('what is remembered of it is bounded', () => {
  let state = noRows;
  for (let n = 0; n < 5_000; n += 1) state = settled(state, [`row ${n} of`, `${n}`]).after;
  expect(state.told.size).toBeLessThanOrEqual(2_000);
});
