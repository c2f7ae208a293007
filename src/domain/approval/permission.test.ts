import { expect, test } from 'vitest';
import { approvalId, executionId, type RunId } from '../ids.ts';
import {
  grantFor,
  grantsAfterTurn,
  grantsKept,
  type PermissionGrant,
  withGrant,
} from './permission.ts';

const run = 'r' as RunId;
const grant = (n: number, more: Partial<PermissionGrant> = {}): PermissionGrant => ({
  approval: approvalId(run, n),
  args: 'a',
  definition: 'd',
  scope: 'once',
  execution: executionId(run, 1),
  ...more,
});
const call = (n: number, args = 'a', definition = 'd') => ({
  ask: { args, definition },
  execution: executionId(run, n),
});

test('A3: another argument or another version of the tool is another call', () => {
  expect(grantFor([grant(1)], call(2))).toEqual(grant(1));
  expect(grantFor([grant(1)], call(2, 'b'))).toBeNull();
  expect(grantFor([grant(1)], call(2, 'a', 'newer'))).toBeNull();
});

test('A4: for once is for another execution, for the run is for every one', () => {
  expect(grantFor([grant(1)], call(1))).toBeNull();
  expect(grantFor([grant(1, { scope: 'run' })], call(1))).not.toBeNull();
  expect(grantsAfterTurn([grant(1), grant(2, { scope: 'run' })])).toMatchObject([{ scope: 'run' }]);
});

test('A5: what is forgotten is asked again; a used yes takes the place of itself', () => {
  const all = Array.from({ length: grantsKept + 1 }, (_, n) => grant(n, { args: `a${n}` }));
  const kept = all.reduce<readonly PermissionGrant[]>(withGrant, []);
  expect(kept).toHaveLength(grantsKept);
  expect(grantFor(kept, call(2, 'a0'))).toBeNull();
  const used = { ...grant(1), execution: executionId(run, 2) };
  expect(withGrant([grant(1)], used)).toEqual([used]);
});
