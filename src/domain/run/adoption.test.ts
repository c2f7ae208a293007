import { expect, test } from 'vitest';
import { job } from '../../../test/support/execution-fixtures.ts';
import {
  execution,
  failed,
  runAfter,
  sealed,
  working,
} from '../../../test/support/run-fixtures.ts';
import type { Execution } from '../execution/state.ts';
import type { ExecutionId } from '../ids.ts';
import { adoptionOf } from './adoption.ts';

/** The second execution of the attempt was lost; the run awaits the third. */
const run = runAfter(...working(), sealed(2, failed('lane_died')));
const of = (n: number, more: Partial<Execution> = {}) =>
  ({ id: execution(n), n, job, status: 'FAILED', ...more }) as Execution;
const lost = of(2);
const next = of(3, { status: 'DISPATCHED' });
const asked = (executions: readonly Execution[], id: ExecutionId = lost.id, seen = run) =>
  adoptionOf({ run: seen, executions }, id);

test('the direct successor that the run awaits takes a late result (X7)', () => {
  expect(run).toMatchObject({ status: 'active', stage: { execution: execution(3) } });
  expect(asked([lost, next])).toEqual({ from: lost, by: next.id });
});

test.each([
  ['an execution that is not known', [next], execution(9)],
  ['one without a successor', [lost], lost.id],
  ['one whose direct successor is gone', [of(1), next], execution(1)],
  ['one whose successor is not awaited', [of(1), lost, next], execution(1)],
])('the result of %s stays evidence (X7)', (_what, executions, id) => {
  expect(asked(executions, id)).toBeNull();
});

test('an attempt adopts once; the same result again is the same adopter’s (X7)', () => {
  const adopted = { ...run, adoptedIn: job.attempt };
  expect(asked([lost, next], lost.id, adopted)).toBeNull();
  const taken = of(3, { status: 'SUCCEEDED', adopted: lost.id });
  expect(asked([lost, taken], lost.id, adopted)).toEqual({ from: lost, by: taken.id });
});
