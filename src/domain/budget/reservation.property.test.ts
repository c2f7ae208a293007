import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CallBudget, callBudget, hold, lacksRoom, settle } from './reservation.ts';

const spend = fc.record({
  tokens: fc.nat(1_000),
  costUsd: fc.option(fc.integer({ min: 0, max: 1_000 }), { freq: 4 }),
});
const limit = fc.option(fc.integer({ min: 1, max: 5_000 }), { freq: 3 });
const limits = fc.record({ costUsd: limit, tokens: limit });
const step = fc.record({ estimate: spend, came: fc.option(spend), settles: fc.nat(5) });

/** Calls open while there is room and settle in any order; `check` sees every state. */
function drive(
  start: CallBudget,
  steps: readonly { estimate: Spend; came: Spend | null; settles: number }[],
  check: (budget: CallBudget, before: CallBudget, opened: boolean) => void,
) {
  let budget = start;
  steps.forEach(({ estimate, came, settles }, call) => {
    const before = budget;
    const opens = lacksRoom(budget, estimate) === null;
    if (opens) budget = hold(budget, call, estimate);
    check(budget, before, opens);
    const open = [...budget.held.keys()];
    const done = open[settles % Math.max(1, open.length)];
    if (done !== undefined && settles > 1) budget = settle(budget, done, came);
  });
}
type Spend = { readonly tokens: number; readonly costUsd: number | null };

test('B1: nothing is let through once the figure has reached the grant', () => {
  fc.assert(
    fc.property(limits, fc.array(step), (granted, steps) => {
      drive(callBudget(granted), steps, (_budget, { spent }, opened) => {
        const isSpent =
          (granted.costUsd !== null && spent.costUsd >= granted.costUsd) ||
          (granted.tokens !== null && spent.tokens >= granted.tokens);
        if (isSpent) expect(opened).toBe(false);
      });
    }),
  );
});

test('B2: beside open calls the estimates fit together; an only call needs but something left (L-F3)', () => {
  fc.assert(
    fc.property(limits, fc.array(step), (granted, steps) => {
      drive(callBudget(granted), steps, (budget, before, opened) => {
        if (!opened || before.held.size === 0) return;
        const held = [...budget.held.values()];
        const costs = held.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0);
        const others = [...before.held.values()].reduce((sum, one) => sum + (one.costUsd ?? 0), 0);
        if (granted.costUsd !== null && others > 0) {
          expect(budget.spent.costUsd + costs).toBeLessThanOrEqual(granted.costUsd);
        }
      });
    }),
  );
  const only = callBudget({ costUsd: 1, tokens: null }, { costUsd: 0.99, tokens: 0 });
  expect(lacksRoom(only, { costUsd: 5, tokens: 1 })).toBeNull();
  const beside = hold(only, 1, { costUsd: 0.001, tokens: 1 });
  expect(lacksRoom(beside, { costUsd: 5, tokens: 1 })).toBe('cost');
});

test('B3: what is spent never falls, and nothing is held back for a call that is over', () => {
  fc.assert(
    fc.property(limits, fc.array(step), (granted, steps) => {
      drive(callBudget(granted), steps, (budget, before) => {
        expect(budget.spent.tokens).toBeGreaterThanOrEqual(before.spent.tokens);
      });
    }),
  );
  const held = hold(callBudget({ costUsd: null, tokens: 10 }), 1, { costUsd: null, tokens: 4 });
  expect(settle(held, 1, null)).toMatchObject({ spent: { tokens: 0, costUsd: 0 } });
  const settled = settle(held, 1, { costUsd: -1, tokens: 3 });
  expect(settled.spent).toEqual({ tokens: 3, costUsd: 0 });
  expect(settled.held.size).toBe(0);
});

test('three calls beside each other cannot each spend what is left (L-F3)', () => {
  let budget = callBudget({ costUsd: 1.25, tokens: null });
  const estimate = { costUsd: 0.5, tokens: 10 };
  const opened = [1, 2, 3].map((call) => {
    const lacks = lacksRoom(budget, estimate);
    if (lacks === null) budget = hold(budget, call, estimate);
    return lacks;
  });
  expect(opened).toEqual([null, null, 'cost']);
});

test('without a known price the tokens hold (ruling 18)', () => {
  const budget = callBudget({ costUsd: 1, tokens: 100 }, { costUsd: 0, tokens: 100 });
  expect(lacksRoom(budget, { costUsd: null, tokens: 1 })).toBe('tokens');
});
