import { expect, test } from 'vitest';
import { recovery, recoveryFile, recoveryFileDefaults, recoveryOf } from './recovery-file.ts';

const usual = { requeues: 2, transfers: 3 };

test('what differs from the usual stands in the canonical form, and nothing else (RR-40)', () => {
  expect(recoveryOf({})).toEqual(usual);
  expect(recoveryOf({ recovery: { ...recoveryFileDefaults } })).toEqual(usual);
  const set = { cleanExits: 0, nudges: 1, silence: '4m', grace: '90s' };
  expect(recoveryOf({ recovery: { ...set, requeues: 1 } })).toEqual({
    ...{ requeues: 1, transfers: 3, cleanExits: 0, nudges: 1 },
    ...{ silenceMs: 240_000, graceMs: 90_000 },
  });
});

test('and is told again as it was given', () => {
  expect(recoveryFile(usual)).toEqual(recoveryFileDefaults);
  const given = { requeues: 0, transfers: 1, cleanExits: 2, nudges: 0, silence: '4m', grace: '2m' };
  expect(recoveryFile(recoveryOf({ recovery: given }))).toEqual(given);
});

test.each([
  ['nudges', 6],
  ['nudges', -1],
  ['requeues', 21],
  ['cleanExits', 1.5],
  ['silence', '29s'],
  ['silence', '61m'],
  ['silence', 'long'],
  ['grace', '59s'],
  ['grace', '2h'],
  ['nudge', 1],
])('%s: %j is beyond its bounds, or is nothing that can be set (RR-40)', (name, value) => {
  const read = recovery.safeParse({ [name]: value });
  expect(read.success).toBe(false);
  const [issue] = read.error?.issues ?? [];
  if (name !== 'nudge') expect(issue?.path).toEqual([name]);
});
