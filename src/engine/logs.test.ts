/** Goal: what a lane printed is shown wherever it ran and however it ended. */
import { expect, test } from 'vitest';
import { bench, executed, plainDefinition, prepared, work } from '../../test/sim/bench-of-one.ts';
import { ada } from '../../test/sim/human.ts';

const died = {
  ...({ kind: 'failed', class: 'lane_died', detail: 'x', proof: 'kernel' } as const),
  ...{ commit: null, usage: null, text: null },
};

test.each([
  ['a turn that ended', executed],
  ['a lane that failed', died],
])('of %s its journal is read', async (_, result) => {
  const here = bench();
  const start = { definition: plainDefinition, detached: true, resumedFrom: null, from: null };
  const { id } = await here.client.start(start, ada);
  await work(here, id, prepared);
  const line = JSON.stringify({ seq: 1, ms: 0, at: 5, kind: 'stdout', text: 'said\n' });
  const journal = await here.engine.artifacts.put(`${line}\n`, 'journal');
  const execution = (await here.client.find({ text: id, project: null })).execution?.id;
  if (execution === undefined) throw new Error('nothing is open');
  await work(here, id, { ...result, journal });
  const told = await here.client.log(execution, 0, 10);
  expect(told).toMatchObject({ lines: [{ text: 'said\n' }], ended: true });
});
