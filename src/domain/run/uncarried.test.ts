import { describe, expect, test } from 'vitest';
import {
  executed,
  failed,
  led,
  resume,
  runAfter,
  sealed,
  working,
} from '../../../test/support/run-fixtures.ts';

describe('work that cannot be carried (DESIGN 4.2, 6)', () => {
  const refused = (n: number) => sealed(n, failed('invalid_result'));
  test('is told to the agent, whose next tree begins at what was taken last', () => {
    expect(led(...working(), refused(2)).slice(-2)).toMatchObject([
      { type: 'attempt.ended', attempt: { summary: 'because of invalid_result' } },
      { attempt: 2, point: { tree: 'new', session: 'fresh', commit: null } },
    ]);
  });
  test('is for the operator when it comes again, and counted anew after he has looked', () => {
    const twice = [...working(), refused(2), refused(3)];
    const parked = { reason: 'convergence_signals', class: 'invalid_result' };
    expect(led(...twice).at(-1)).toMatchObject(parked);
    const resumed = [...twice, resume({ grants: { attempts: 2 } })];
    expect(runAfter(...resumed).counters.uncarried).toBeUndefined();
    expect(led(...resumed, refused(4)).at(-1)).toMatchObject({ attempt: 4 });
  });
  test('between which work was taken is counted anew', () => {
    const taken = [...working(), refused(2), sealed(3, executed())];
    expect(runAfter(...taken).counters.uncarried).toBeUndefined();
    expect(runAfter(...taken).nextTree).toBe('same');
  });
});
