import { expect, test } from 'vitest';
import { broken, chunks } from './broken.ts';

/**
 * Goal: no weather breaks a numbered invariant, and every run ends (EV-5, EV-41, EV-42, XP-3, XP-8,
 * XP-10, XP-11, XP-14, XP-15, XP-21, XP-23, XP-25, XP-30, XP-33, XP-34, XP-35, RR-5, RR-12, RR-13,
 * RR-28, RR-29, L-B20, L-D12, L-D14, L-D22, L-D23, L-K8, D-15, D-19, D-20, D-26).
 * Method: whole worlds by seed; the oracle looks after every commit. 300 seeds are in two files, so
 * that two cores share them.
 */
test.each(chunks(1, 151, 25))('the invariants hold in the 25 worlds from seed %i', async (from) => {
  expect(await broken(from, 25)).toEqual([]);
});
