import { expect, test } from 'vitest';
import {
  command,
  driver,
  executed,
  runAfter,
  sealed,
  verified,
  verifying,
  working,
} from '../../../test/support/run-fixtures.ts';
import { nothingShared, sharedSince, spentFigure } from './shared.ts';

const spent = {
  ...{ costUsd: 4, costKnown: true, selfReported: false, tokensIn: 10, tokensOut: 20 },
  ...{ cacheRead: 30, cacheWrite: 40, activeMs: 1_000, waitedMs: 0 },
};

test('a budget is spent when the figure reaches it, in a fixed order', () => {
  const all = { costUsd: 4, tokens: 100, timeMs: 1_000 };
  const today = sharedSince(null, spent);
  expect(spentFigure(all, today)).toBe('cost');
  expect(spentFigure({ ...all, costUsd: 4.01 }, today)).toBe('tokens');
  expect(spentFigure({ ...all, costUsd: null, tokens: 101 }, today)).toBe('time');
  expect(spentFigure({ costUsd: null, tokens: null, timeMs: 1_001 }, today)).toBeNull();
  expect(spentFigure(all, nothingShared)).toBeNull();
});

test('only what came since counts, and a figure that went back adds nothing', () => {
  const before = { ...spent, costUsd: 3, tokensIn: 99, activeMs: 400 };
  expect(sharedSince(before, spent)).toEqual({
    ...{ meteredUsd: 1, selfReportedUsd: 0, tokens: 0, activeMs: 600 },
  });
  expect(sharedSince(null, { ...spent, selfReported: true })).toMatchObject({
    ...{ meteredUsd: 0, selfReportedUsd: 4 },
  });
});

test('stopped for a budget over runs: parked with the work kept and no attempt spent', () => {
  const stop = command({ type: 'stop_for_budget', budget: 'project', detail: 'x' }, 0, driver);
  expect(runAfter(...working(), stop)).toMatchObject({
    ...{ status: 'needs_operator', disposition: 'budget_exhausted', reason: 'project_budget' },
    counters: { attempts: 0 },
  });
  expect(runAfter(...verifying(), stop)).toMatchObject({ status: 'active' });
});

test('crossed on the turn that passes, no budget is said to be reached (L-F8)', () => {
  const usage = { ...executed().usage, costUsd: 500 };
  const run = runAfter(
    ...working(),
    sealed(2, executed({ usage })),
    sealed(3, verified({ outcome: 'passed' })),
  );
  expect(run).toMatchObject({ status: 'complete', verification: 'passed' });
  expect(JSON.stringify(run)).not.toMatch(/budget|The money granted is spent/);
});
