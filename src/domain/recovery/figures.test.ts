/** Goal: every budget is held to, by its own figure, and no other (RR-23, RR-24, RR-40). */
import { describe, expect, test } from 'vitest';
import { recoveryBounds } from '../../kernel/recovery-bounds.ts';
import { mayRecover, recoveryDefaults, recoveryFigures, sweepMs } from './figures.ts';

const usual = recoveryFigures({ requeues: 2, transfers: 3 });
const spent = (more: object = {}) => ({ requeues: 0, transfers: 0, ...more });
const recovery = (
  action: 'requeue' | 'transfer',
  isCleanExit = false,
  role: 'execute' | 'judge' | 'verify' = 'execute',
) => ({ action, role, isCleanExit }) as const;

test('without a word the figures are those of the design (RR-40)', () => {
  expect(usual).toEqual(recoveryDefaults);
  expect(usual).toMatchObject({ requeues: 2, transfers: 3, nudges: 2, graceMs: 300_000 });
  expect(usual.cleanExits).toEqual({ execute: 1, judge: 2 });
  expect(usual.silenceMs / sweepMs).toBe(7);
});

test('what a run sets is what it gets, each within its bounds (RR-40)', () => {
  const set = { requeues: 5, transfers: 0, cleanExits: 3, nudges: 1, silenceMs: 60_000 };
  expect(recoveryFigures({ ...set, graceMs: 90_000 })).toEqual({
    ...set,
    graceMs: 90_000,
    cleanExits: { execute: 3, judge: 3 },
  });
  const { execute, judge } = recoveryDefaults.cleanExits;
  for (const [name, { least, most }] of Object.entries(recoveryBounds)) {
    const value =
      name === 'cleanExits'
        ? Math.max(execute, judge)
        : recoveryDefaults[name as Exclude<keyof typeof recoveryBounds, 'cleanExits'>];
    expect(value, name).toBeGreaterThanOrEqual(least);
    expect(value, name).toBeLessThanOrEqual(most);
  }
});

describe('a budget of recoveries', () => {
  test('re-spawns and transfers are counted apart (RR-23, RR-24)', () => {
    expect(mayRecover(recovery('requeue'), spent({ requeues: 1, transfers: 9 }), usual)).toBe(true);
    expect(mayRecover(recovery('requeue'), spent({ requeues: 2 }), usual)).toBe(false);
    expect(mayRecover(recovery('transfer'), spent({ transfers: 2, requeues: 9 }), usual)).toBe(
      true,
    );
    expect(mayRecover(recovery('transfer'), spent({ transfers: 3 }), usual)).toBe(false);
  });
  test('who leaves in good order without a result is asked once more, who only reads twice', () => {
    const clean = (role: 'execute' | 'judge' | 'verify', cleanExits?: number) =>
      mayRecover(
        recovery('requeue', true, role),
        spent(cleanExits === undefined ? {} : { cleanExits }),
        usual,
      );
    expect([clean('execute'), clean('execute', 0), clean('execute', 1)]).toEqual([
      true,
      true,
      false,
    ]);
    expect([clean('judge', 1), clean('judge', 2)]).toEqual([true, false]);
    expect(clean('verify', 1)).toBe(false);
    const all = spent({ requeues: 2 });
    expect(mayRecover(recovery('requeue', true, 'judge'), all, usual)).toBe(false);
    expect(mayRecover(recovery('requeue'), spent({ requeues: 1, cleanExits: 1 }), usual)).toBe(
      true,
    );
  });
});
