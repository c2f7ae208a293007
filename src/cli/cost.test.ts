/** Goal: what nobody has told is `–` wherever a cost stands, never 0 (UX 0.3, L-I7). */
import { expect, test } from 'vitest';
import { exampleView } from '../../test/support/example-run.ts';
import { spentMoney } from './format.ts';
import { beatFact } from './views/lines.ts';
import { runJson } from './wire.ts';

const nothing = { ...exampleView().spent, costUsd: 0, tokensIn: 0, tokensOut: 0 };
const costOf = (spent: typeof nothing) =>
  beatFact(exampleView({ spent }), 0).fields.find(([name]) => name === 'cost')?.[1];

test('before anybody reported usage the cost is unknown', () => {
  expect(costOf(nothing)).toBe('–');
  expect(spentMoney(nothing)).toBe('–');
  expect(runJson(exampleView({ spent: nothing }))['spent']).toMatchObject({
    costUsd: null,
    source: 'none',
  });
});

test('tokens without a price have no cost either', () => {
  const unpriced = { ...nothing, tokensIn: 10, costKnown: false };
  expect(costOf(unpriced)).toBe('–');
  expect(runJson(exampleView({ spent: unpriced }))['spent']).toMatchObject({ costUsd: null });
});

test('a cost that was told is told, also a zero', () => {
  expect(costOf({ ...nothing, tokensIn: 10 })).toBe('0.00');
  expect(costOf({ ...nothing, costUsd: 0.95, tokensIn: 10, selfReported: true })).toBe('~0.95');
});
