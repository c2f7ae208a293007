import { expect, test } from 'vitest';
import { TransientError } from '../../src/kernel/errors.ts';
import { memoryStore } from '../../src/store/memory/memory-store.ts';
import { command, decideTest, runId } from './deciding.ts';
import { hintSuite, silentSuite } from './hints.suite.ts';
import { storeSuite } from './store.suite.ts';

const opened = async () => {
  const store = memoryStore();
  return { store, close: () => store.close() };
};
storeSuite('memory store', opened);
hintSuite('memory store', opened);
silentSuite('memory store', opened);

const run = runId('one');
const start = [command(run, { type: 'start' })];

test('a crash before the commit leaves nothing, a crash after it leaves all', async () => {
  let crashAt: string | null = 'before';
  const store = memoryStore({
    onCommit: (phase) => {
      if (phase === crashAt) throw new Error('crash');
    },
  });
  await expect(store.transact(start, decideTest)).rejects.toThrow('crash');
  expect(await store.loadRun(run)).toBeNull();
  crashAt = 'after';
  await expect(store.transact(start, decideTest)).rejects.toThrow('crash');
  crashAt = null;
  expect(await store.loadRun(run)).toMatchObject({ version: 1 });
  expect((await store.audit()).problems).toEqual([]);
});

test('a store that is not ready settles the commands as unavailable', async () => {
  const busy = new TransientError('store.busy', 'busy');
  const store = memoryStore({
    onCommit: () => {
      throw busy;
    },
  });
  expect(await store.transact(start, decideTest)).toEqual([{ kind: 'unavailable', error: busy }]);
  expect(await store.loadRun(run)).toBeNull();
});
