/** Leases of a worker are counted where they are written (part of what every store promises). */
import { expect, test } from 'vitest';
import type { RunAggregate } from '../../src/domain/run/aggregate.ts';
import { err } from '../../src/kernel/result.ts';
import type { Store } from '../../src/ports/store.ts';
import { command, decideTest, grantOf, holder, runId, type TestCommand } from './deciding.ts';

const slots = 2;
const names = ['a', 'b', 'c', 'd', 'e', 'f'];
const { worker } = holder;

const decideCounted = (aggregate: RunAggregate, one: TestCommand, held: number) =>
  one.heldBy !== undefined && held >= slots
    ? err({ code: 'refused' as const })
    : decideTest(aggregate, one);

const claim = (name: string, heldBy = worker) =>
  command(
    runId(name),
    { type: 'claim', grantId: grantOf(name), holder: { ...holder, worker: heldBy } },
    { heldBy },
  );

async function dispatched(store: Store): Promise<void> {
  for (const name of names) {
    const begun = [{ type: 'start' }, { type: 'dispatch' }] as const;
    await store.transact(
      begun.map((act) => command(runId(name), act)),
      decideTest,
    );
  }
}

/** `stores`: as many servers over one and the same store. */
export async function expectSlotsAreHeld(stores: readonly [Store, ...Store[]]): Promise<void> {
  const [first] = stores;
  await dispatched(first);
  const settled = await Promise.all(
    names.map((name, n) =>
      (stores[n % stores.length] ?? first).transact([claim(name)], decideCounted),
    ),
  );
  const kinds = settled.flat().map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind === 'committed')).toHaveLength(slots);
  const open = await first.openExecutions();
  expect(open.filter(({ lease }) => lease?.holder.worker === worker)).toHaveLength(slots);
}

export function slotsOf(store: () => Store): void {
  test('a worker that claims at the same time gets no more than its slots (XP-8)', async () => {
    await expectSlotsAreHeld([store()]);
  });

  test('claims of one transaction see each other, and only those of their worker', async () => {
    await dispatched(store());
    const claims = [...names.slice(0, 4).map((name) => claim(name)), claim('e', 'elsewhere')];
    const settled = await store().transact(claims, decideCounted);
    expect(settled.map(({ kind }) => kind)).toEqual([
      ...['committed', 'committed', 'rejected', 'rejected'],
      'committed',
    ]);
    await store().transact([command(runId('a'), { type: 'seal' })], decideTest);
    const [again] = await store().transact([claim('c')], decideCounted);
    expect(again?.kind).toBe('committed');
  });
}
