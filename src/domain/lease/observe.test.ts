import { expect, test } from 'vitest';
import type { GrantId } from '../ids.ts';
import { type Look, observe, type Watch } from './observe.ts';

const grant = 'g1' as GrantId;
const patience = { ttlMs: 30_000, everyMs: 10_000 };
const look = (atMs: number, more: Partial<Look> = {}): Look => ({
  grant,
  beat: 1,
  isThere: true,
  atMs,
  ...more,
});

function watch(...looks: readonly Look[]) {
  let seen: Watch | null = null;
  return looks.map((next) => {
    const { watch: after, liveness } = observe(seen, next, patience);
    seen = after;
    return liveness;
  });
}

test('a holder that is gone is dead at once (S1)', () =>
  expect(watch(look(0, { isThere: false }))).toEqual(['dead']));

test('the same beat for the whole ttl, in at least two looks, is silence (S2)', () =>
  expect(watch(look(0), look(10_000), look(20_000), look(30_000))).toEqual([
    'alive',
    'alive',
    'alive',
    'silent',
  ]));

test('one look says nothing, however old the beat (S2)', () =>
  expect(observe(null, look(1_000_000), { ttlMs: 0, everyMs: 10_000 }).liveness).toBe('alive'));

test('sleep of the machine is not silence: a long gap starts anew (S3)', () =>
  expect(watch(look(0), look(20_000), look(9_000_000), look(9_010_000))).toEqual([
    'alive',
    'alive',
    'alive',
    'alive',
  ]));

test('a clock that goes back starts anew (S3)', () =>
  expect(watch(look(50_000), look(20_000), look(50_000))).toEqual(['alive', 'alive', 'silent']));

test('a new beat or another grant is life (S4)', () => {
  expect(watch(look(0), look(20_000), look(30_000, { beat: 2 }))).toEqual([
    'alive',
    'alive',
    'alive',
  ]);
  const other = 'g2' as GrantId;
  expect(watch(look(0), look(20_000), look(30_000, { grant: other }))).toEqual([
    'alive',
    'alive',
    'alive',
  ]);
});
