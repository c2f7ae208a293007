import { expect, test } from 'vitest';
import {
  bench,
  executed,
  holder,
  plainDefinition,
  prepared,
  work,
} from '../../test/sim/bench-of-one.ts';
import { ada } from '../../test/sim/human.ts';
import { digest } from '../../test/support/run-fixtures.ts';

test('a judge is given what the turn left to see, and a maker is not (EV-67)', async () => {
  const here = bench();
  const { execute } = plainDefinition.roles;
  const definition = {
    ...plainDefinition,
    criteria: [{ kind: 'observer', question: 'Is it blue?', timeoutMs: 60_000 }],
    roles: { execute, verify: { ...execute, profile: 'observer' } },
  } as const;
  const start = { definition, detached: true, resumedFrom: null, from: null };
  const { id } = await here.client.start(start, ada);
  const claim = async () => {
    const view = await here.client.find({ text: id, project: null });
    const execution = view.execution?.id;
    if (execution === undefined) throw new Error('nothing was dispatched');
    const claimed = await here.plane.claim({ execution, holder, nonce: `nonce ${execution}` });
    if (!claimed.ok) throw new Error(claimed.reason);
    return claimed.dispatch;
  };
  await work(here, id, prepared);
  expect(await claim()).not.toHaveProperty('attested');
  const left = { statement: digest('s'), files: [], more: 0, missing: [], refused: [] };
  await work(here, id, { ...executed, artifacts: left });
  const judging = await claim();
  expect(judging.job.role).toBe('judge');
  expect(judging.attested).toMatchObject({ statement: left.statement, attempt: 1 });
});
