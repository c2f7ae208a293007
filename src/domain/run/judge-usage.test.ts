import { expect, test } from 'vitest';
import {
  command,
  runAfter,
  sealed,
  usage,
  verified,
  verifying,
} from '../../../test/support/run-fixtures.ts';

const metered = { ...verified(), usage };

test('what a judge spent counts against the budget of its run (L-F3, ruling 18)', () => {
  const made = runAfter(...verifying()).spent;
  const judged = runAfter(...verifying(), sealed(3, metered)).spent;
  expect(judged.costUsd).toBe(made.costUsd + (usage.costUsd ?? 0));
  expect(judged.tokensIn).toBe(made.tokensIn + usage.tokensIn);
  expect(runAfter(...verifying(), sealed(3, verified())).spent.costUsd).toBe(made.costUsd);
});

test('it counts in a run that is being cancelled, too', () => {
  const cancel = command({ type: 'cancel', note: '' });
  const before = runAfter(...verifying(), cancel).spent;
  const after = runAfter(...verifying(), cancel, sealed(3, metered)).spent;
  expect(after.tokensIn).toBe(before.tokensIn + usage.tokensIn);
});
