/**
 * Goal: a database that is far away is asked as rarely as can be: what does not wait for an answer
 * is said without waiting for one. Method: a proxy that counts how often the other side speaks
 * after it was answered, over many commands, hints to other processes counted with them.
 */
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { Store } from '../../src/ports/store.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { type CuttingProxy, cuttingProxy } from '../support/cutting-proxy.ts';
import { ownDatabase } from '../support/postgres.ts';
import { command, decideTest, grantOf, holder, runId, type TestCommand } from './deciding.ts';
import { wallClock as clock } from './opened.ts';

const runs = Array.from({ length: 20 }, (_, n) => runId(`t${n}`));
/** The round trip of a hint, and what a clock or a probe may ask meanwhile. */
const hintAndMore = 1.5;

let store: Store;
let proxy: CuttingProxy;
beforeAll(async () => {
  const address = new URL(await ownDatabase(inject('postgres'), 'turns'));
  proxy = await cuttingProxy(Number(address.port));
  address.port = String(proxy.port);
  store = await openPostgresStore({ url: address.href, clock });
});
afterAll(async () => {
  await store.close();
  await proxy.close();
});

/** Round trips of each, one after another. */
async function turnsOf(commands: readonly TestCommand[]): Promise<number> {
  const before = proxy.turns();
  for (const one of commands) {
    const [settled] = await store.transact([one], decideTest);
    expect(settled?.kind).toBe('committed');
  }
  return (proxy.turns() - before) / commands.length;
}

test('a run is born in three round trips, and a lease is counted and granted in two', async () => {
  const born = await turnsOf(runs.map((run) => command(run, { type: 'start' })));
  expect(born).toBeLessThan(3 + hintAndMore);
  await turnsOf(runs.map((run) => command(run, { type: 'dispatch' })));
  const claims = runs.map((run) =>
    command(run, { type: 'claim', grantId: grantOf(run), holder }, { heldBy: holder.worker }),
  );
  expect(await turnsOf(claims)).toBeLessThan(2 + hintAndMore);
});
