/** A view of a row that was read a moment ago says nothing false of who left in that moment. */
import { expect, test } from 'vitest';
import { bench, holder, plainDefinition, prepared, sealOf } from '../../test/sim/bench-of-one.ts';
import { ada } from '../../test/sim/human.ts';
import type { Instant } from '../domain/ids.ts';
import { views } from './views.ts';

const start = { definition: plainDefinition, detached: true, resumedFrom: null, from: null };

test('a host that handed in its result and left is not told as gone (L-D12)', async () => {
  const { client, engine, plane } = bench();
  const { id } = await client.start(start, ada);
  const execution = (await client.find({ text: id, project: null })).execution?.id;
  if (execution === undefined) throw new Error('nothing is open');
  const claimed = await plane.claim({ execution, holder, nonce: 'nonce' });
  if (!claimed.ok) throw new Error(claimed.reason);
  const granted = { execution, grantId: claimed.grantId };
  await plane.start({ ...granted, rung: 'x', pid: 7 });
  const [row] = await engine.store.runs({ status: ['active'], since: 0 as Instant, limit: 1 });
  if (row === undefined) throw new Error('nothing is active');
  const afterDeath = views(engine, { lives: () => false, drives: () => false });
  expect((await afterDeath.of(row)).execution).toMatchObject({ holderGone: true });
  await plane.result({ ...granted, seal: sealOf(execution), result: prepared });
  expect((await afterDeath.of(row)).execution).not.toHaveProperty('holderGone');
});
