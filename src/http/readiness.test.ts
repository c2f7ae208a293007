import { expect, test } from 'vitest';
import { TransientError } from '../kernel/errors.ts';
import { type ReadinessOptions, readiness } from './readiness.ts';

const of = (more: Partial<ReadinessOptions>) =>
  readiness({
    store: { seats: async () => [] },
    isDraining: () => false,
    drives: () => true,
    ...more,
  });
const failing = (error: Error) => ({ store: { seats: () => Promise.reject(error) } });

test('a server that drives over a store that answers is ready', async () => {
  expect(await of({})).toMatchObject({ ready: true, checks: { store: { ok: true } } });
});

test.each([
  ['driver', { drives: () => false }],
  ['accepting', { isDraining: () => true }],
  ['store', failing(new Error('gone'))],
] as const)('it is not ready without its %s', async (name, more) => {
  const { ready, checks } = await of(more);
  expect([ready, checks[name]?.ok]).toEqual([false, false]);
});

test('of a store that fails its code is told, and nothing of what its message names', async () => {
  const error = new TransientError('store.busy', 'no answer from db.internal for pawl');
  const known = await of(failing(error));
  expect(known.checks['store']).toEqual({ ok: false, detail: 'store.busy' });
  const unknown = await of(failing(new Error('connect db.internal')));
  expect(JSON.stringify([known, unknown])).not.toContain('db.internal');
});
