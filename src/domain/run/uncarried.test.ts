import { describe, expect, test } from 'vitest';
import {
  executed,
  failed,
  led,
  prepared,
  resume,
  runAfter,
  sealed,
  start,
  working,
} from '../../../test/support/run-fixtures.ts';
import { placementOf } from '../placement/placement.ts';

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

describe('a source that cannot be carried (DESIGN 6)', () => {
  const uncarried = (n: number) => sealed(n, failed('source_unavailable'));
  test('is left to the hosts of the server itself, which then do every job', () => {
    const run = runAfter(start(), uncarried(1));
    expect(led(start(), uncarried(1)).at(-1)).toMatchObject({ point: { job: 'prepare' } });
    expect(placementOf(run, 'prepare')).toEqual({ here: true });
    const later = runAfter(start(), uncarried(1), sealed(2, prepared()), sealed(3, executed()));
    expect(placementOf(later, 'verify')).toEqual({ here: true });
  });
  test('parks where those cannot do it either, or may not', () => {
    const parked = { type: 'run.parked', reason: 'dispatch_failed', class: 'source_unavailable' };
    expect(led(start(), uncarried(1), uncarried(2)).at(-1)).toMatchObject(parked);
    const placement = { labels: ['gpu'] };
    expect(led(start({ placement }), uncarried(1)).at(-1)).toMatchObject(parked);
  });
  test('is tried again on the worker that a human names', () => {
    const twice = [start(), uncarried(1), uncarried(2)];
    const on = resume({ on: 'w-1' });
    expect(placementOf(runAfter(...twice, on), 'prepare')).toEqual({ on: 'w-1' });
    expect(placementOf(runAfter(...twice, resume()), 'prepare')).toEqual({ here: true });
  });
});
