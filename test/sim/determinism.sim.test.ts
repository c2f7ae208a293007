import { expect, test } from 'vitest';
import { broken } from './broken.ts';
import seeds from './seeds.json' with { type: 'json' };
import { world } from './world.ts';

test('two runs of one seed give the same log of events', async () => {
  for (const seed of [3, 7, 11]) {
    const first = await world(seed);
    const second = await world(seed);
    expect(second.log).toEqual(first.log);
    expect(first.log.length).toBeGreaterThan(5);
  }
});

/** Each of these once broke an invariant; `broken` says which, should it again. */
test.each(seeds)('seed %i, which once broke something, holds', async (seed) => {
  expect(await broken(seed, 1)).toEqual([]);
});
