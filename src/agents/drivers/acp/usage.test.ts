import { expect, test } from 'vitest';
import { usageLedger } from './usage.ts';

const read = (result: object, isNew = true) => {
  const ledger = usageLedger(() => isNew);
  ledger.answered({ ...result });
  return ledger.read();
};

test.each([
  [
    // opencode: what a cache gave stands beside the input.
    { inputTokens: 1214, outputTokens: 56, totalTokens: 1290, cachedReadTokens: 20 },
    { tokensIn: 1214, tokensOut: 56, cacheRead: 20, cacheWrite: 0 },
  ],
  [
    { inputTokens: 1234, outputTokens: 56, totalTokens: 1290, cachedReadTokens: 20 },
    { tokensIn: 1214, tokensOut: 56, cacheRead: 20, cacheWrite: 0 },
  ],
  [
    { inputTokens: 100, outputTokens: 10, thoughtTokens: 5, totalTokens: 115 },
    { tokensIn: 100, tokensOut: 15, cacheRead: 0, cacheWrite: 0 },
  ],
  [
    { inputTokens: 100, outputTokens: 10, thoughtTokens: 5, totalTokens: 110 },
    { tokensIn: 100, tokensOut: 10, cacheRead: 0, cacheWrite: 0 },
  ],
  [
    { inputTokens: 10, outputTokens: 1, cachedWriteTokens: 4 },
    { tokensIn: 10, tokensOut: 1, cacheRead: 0, cacheWrite: 4 },
  ],
])('the four counts of %j are apart', (usage, counts) => {
  expect(read({ usage })).toEqual({ ...counts, costUsd: null, source: 'self-reported' });
});

test.each([{}, { usage: null }, { usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 } }])(
  '%j says nothing: unknown is not nothing',
  (result) => {
    expect(read(result)).toBeNull();
  },
);

test.each([-1, '9', Number.NaN, null])('a count of %s is none', (inputTokens) => {
  expect(read({ usage: { inputTokens, outputTokens: 3 } })).toMatchObject({
    ...{ tokensIn: 0, tokensOut: 3 },
  });
});

test('gemini tells in a place of its own', () => {
  const _meta = { quota: { token_count: { input_tokens: 3702, output_tokens: 168 } } };
  expect(read({ _meta })).toMatchObject({ tokensIn: 3702, tokensOut: 168 });
});

const cost = (amount: number, currency = 'USD') => ({ cost: { amount, currency } });

test('a cost is what was added in this execution', () => {
  const ledger = usageLedger(() => false);
  expect(ledger.updated(cost(0.5), true)).toBe(false);
  expect(ledger.updated(cost(0.75), false)).toBe(true);
  expect(ledger.read()).toMatchObject({ costUsd: 0.25 });
});

test('of a conversation that was taken up without its cost so far, the cost is unknown', () => {
  const ledger = usageLedger(() => false);
  ledger.updated(cost(0.75), false);
  expect(ledger.read()).toBeNull();
});

test('another currency is no cost in dollars', () => {
  const ledger = usageLedger(() => true);
  expect(ledger.updated(cost(1, 'EUR'), false)).toBe(false);
  expect(ledger.read()).toBeNull();
});

test('calls that are told one by one are added, and stand until the turn says its own', () => {
  const ledger = usageLedger(() => true);
  const usage = { inputTokens: 10, outputTokens: 1, totalTokens: 11, cachedReadTokens: 4 };
  expect([ledger.called({ usage }), ledger.called({ usage }), ledger.called({})]).toEqual([
    ...[true, true, false],
  ]);
  ledger.answered({});
  expect(ledger.read()).toMatchObject({ tokensIn: 12, tokensOut: 2, cacheRead: 8 });
  ledger.answered({ usage: { inputTokens: 5, outputTokens: 3, totalTokens: 8 } });
  expect(ledger.read()).toMatchObject({ tokensIn: 5, tokensOut: 3, cacheRead: 0 });
});
