/** The quick ones of `chaos.test.ts`, at every commit: a regression is met before the night. */
import { expect, test } from 'vitest';
import { faults } from './faults.ts';
import { promised, tried } from './survives.ts';

const quick = faults.filter(({ isQuick }) => isQuick === true);

test.each(quick)('$name: $end (RR-5, RR-8, RR-35, RR-36, RR-46, RR-47)', async (fault) => {
  expect(await tried(fault)).toEqual(promised(fault));
});
