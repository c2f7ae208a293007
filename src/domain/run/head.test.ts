/** Who may move the head of a run: a turn, a human, and the runtime's own checks; no other (R9). */
import { expect, test } from 'vitest';
import {
  checks,
  commit,
  executed,
  failed,
  judge,
  runAfter,
  sealed,
  verified,
  verifying,
  working,
} from '../../../test/support/run-fixtures.ts';

const restoring = { steps: [checks, judge], onProtected: 'restore' } as const;
const other = commit('other');

test('checks that put files back move the head to the commit that they judged (R9)', () => {
  const moved = runAfter(...verifying(restoring), sealed(3, verified({ commit: other })));
  expect(moved).toMatchObject({ status: 'active', head: other });
});

test('a judge that names another commit moves no head and proves nothing (R9, ruling 4)', () => {
  const before = runAfter(...verifying(restoring), sealed(3, verified()));
  const after = runAfter(
    ...verifying(restoring),
    sealed(3, verified()),
    sealed(4, verified({ commit: other })),
  );
  expect(after).toMatchObject({ status: 'active', head: before.head });
});

test('a check that fails moves no head, whatever commit it names (R9)', () => {
  const before = runAfter(...verifying());
  const after = runAfter(...verifying(), sealed(3, failed('lane_died', { commit: other })));
  expect(after.head).toBe(before.head);
});

test('a turn that was cut off leaves what it had recorded as the head', () => {
  const turn = failed('lane_died', { commit: other });
  expect(runAfter(...working(), sealed(2, turn)).head).toBe(other);
  expect(runAfter(...working(), sealed(2, executed({ commit: other }))).head).toBe(other);
});
