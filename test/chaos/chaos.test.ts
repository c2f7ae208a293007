/**
 * Goal: whatever is done to a run from outside, it is never shown as healthy over it, and it goes
 * on by itself on the same attempt, or asks a human within the grace, never silent; nothing is done
 * twice and nothing lost (RR-5, RR-7, RR-8, RR-29, RR-35, RR-36, RR-46, RR-47).
 * Method: the built program as real processes; faults by signal and by file; judged by what
 * `pawl status` says, and by a witness outside of pawl.
 */
import { expect, test } from 'vitest';
import { faults } from './faults.ts';
import { promised, tried } from './survives.ts';

test.each(faults)('$name: $end (RR-5, RR-35, RR-46, RR-47)', async (fault) => {
  expect(await tried(fault)).toEqual(promised(fault));
});
