import { expect, test } from 'vitest';
import { terms } from '../../../test/support/run-fixtures.ts';
import type { RunTerms } from '../run/state.ts';
import { mayTake, placementOf, placementWords } from './placement.ts';

const facts = (placement: NonNullable<RunTerms['placement']>, more: object = {}) => ({
  terms: { ...terms, placement },
  ...more,
});
const worker = (id: string, ...labels: string[]) => ({ id, labels });

test('a job goes where all of its labels are, those of the run and of its role (P1)', () => {
  const run = facts({ labels: ['linux'], execute: ['gpu'], judge: ['screen', 'linux'] });
  expect(placementOf(run, 'prepare')).toEqual({ labels: ['linux'] });
  expect(placementOf(run, 'execute')).toEqual({ labels: ['linux', 'gpu'] });
  expect(placementOf(run, 'verify')).toEqual({ labels: ['linux'] });
  expect(placementOf(run, 'judge')).toEqual({ labels: ['linux', 'screen'] });
  const placement = placementOf(run, 'execute') ?? {};
  expect(mayTake(placement, worker('w', 'gpu', 'linux', 'fast'))).toBe(true);
  expect(mayTake(placement, worker('w', 'gpu'))).toBe(false);
  expect(mayTake(placement, worker('w'))).toBe(false);
});

test('who made it does not verify it, also when a human sent the run there (P2, XP-37)', () => {
  const run = facts({ verifyOn: 'other-worker' }, { madeBy: 'w-1', on: 'w-1' });
  expect(placementOf(run, 'execute')).toEqual({ on: 'w-1' });
  for (const role of ['verify', 'judge'] as const) {
    const placement = placementOf(run, role) ?? {};
    expect(placement).toEqual({ not: 'w-1' });
    expect(mayTake(placement, worker('w-1'))).toBe(false);
    expect(mayTake(placement, worker('w-2'))).toBe(true);
  }
});

test('without a word anybody may do it', () => {
  expect(placementOf({ terms }, 'verify')).toBeNull();
  expect(placementOf({ terms, madeBy: 'w-1' }, 'verify')).toBeNull();
  expect(mayTake(undefined, worker('w-1'))).toBe(true);
});

test('a worker that a human named is the only one', () => {
  const placement = placementOf({ terms, on: 'w-2' }, 'prepare') ?? {};
  expect(mayTake(placement, worker('w-1'))).toBe(false);
  expect(mayTake(placement, worker('w-2'))).toBe(true);
});

test('a council goes where its agent is, and is not bound to where its run was sent (EV-7)', () => {
  const placement = { labels: ['linux'], execute: ['gpu'], judge: ['screen'] };
  const run = facts(placement, { on: 'w-1', madeBy: 'w-1' });
  expect(placementOf(run, 'consult')).toEqual({ labels: ['linux', 'screen'] });
  const alone = { ...run, terms: { ...run.terms, checker: null } };
  expect(placementOf(alone, 'consult')).toEqual({ labels: ['linux', 'gpu'] });
});

test('what can be carried to no worker is done beside the repository alone (P3)', () => {
  const placement = placementOf({ terms, here: true }, 'verify') ?? {};
  expect(placement).toEqual({ here: true });
  expect(mayTake(placement, worker('w-1', 'gpu'))).toBe(false);
  const own = { ...worker('server'), isOwn: true } as const;
  expect(mayTake(placement, own)).toBe(true);
  expect(mayTake({}, own)).toBe(true);
  expect(placementWords(placement)).toBe('a host of the server itself');
});

test('what is waited for is said in a few words', () => {
  expect(placementWords({ labels: ['gpu'] })).toBe('a worker with label gpu');
  expect(placementWords({ labels: ['gpu', 'linux'] })).toBe('a worker with labels gpu, linux');
  expect(placementWords({ on: 'w-2' })).toBe('worker w-2');
  expect(placementWords({ not: 'w-1' })).toBe('another worker than w-1, which made the work');
  expect(placementWords({ not: 'w-1', labels: ['gpu'] })).toBe(
    'another worker than w-1, which made the work, with label gpu',
  );
});
