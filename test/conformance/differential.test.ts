/**
 * Goal: the stores cannot be told apart. Method: the same commands to all three, then all that can
 * be read.
 */
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import type { Instant } from '../../src/domain/ids.ts';
import type { Settled, Store } from '../../src/ports/store.ts';
import { memoryStore } from '../../src/store/memory/memory-store.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { sqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { emptied, emptyStore } from '../support/postgres.ts';
import {
  bound,
  command,
  decideTest,
  digestOf,
  executionId,
  grantOf,
  holder,
  runId,
  type TestCommand,
} from './deciding.ts';
import { wallClock as clock, temporary } from './opened.ts';

const runs = ['one', 'two', 'three'].map(runId);
const [first = runId('')] = runs;
const digests = ['a', 'b'].map(digestOf);
const small = fc.integer({ min: 1, max: 3 });
type Act = TestCommand['act'];

const act: fc.Arbitrary<Act> = fc.oneof(
  fc.constantFrom<Act>(
    { type: 'start' },
    { type: 'dispatch' },
    { type: 'seal' },
    { type: 'clear', kind: 'wait' },
  ),
  fc.string({ maxLength: 20 }).map((text): Act => ({ type: 'hint', text })),
  fc
    .array(fc.string({ maxLength: 9 }), { maxLength: 3 })
    .map((texts): Act => ({ type: 'hints', texts })),
  fc.constantFrom<Act>(
    { type: 'dispatch' },
    { type: 'seal' },
    { type: 'ask_cancel' },
    { type: 'pause' },
    { type: 'refuse' },
    { type: 'explode' },
    { type: 'poison' },
    { type: 'acknowledge' },
    { type: 'clear', kind: 'wait' },
  ),
  fc.constantFrom('a', 'b').map((one): Act => ({ type: 'claim', grantId: grantOf(one), holder })),
  small.map((n): Act => ({ type: 'timer', kind: 'wait', dueAt: n * 100, generation: n })),
  small.map((n): Act => (n === 2 ? { type: 'ask', n, bound } : { type: 'ask', n })),
  small.map((n): Act => ({ type: 'resolve', n })),
  fc.constantFrom(...digests).map((digest): Act => ({ type: 'refer', name: 'receipt', digest })),
);

/** Mostly of one run, and seldom with a version, so that histories get somewhere. */
const one = fc
  .record({
    run: fc.constantFrom(...runs, first, first),
    act,
    seen: fc.integer({ min: 1, max: 40 }),
  })
  .map(({ run, act: what, seen }) => command(run, what, seen > 4 ? {} : { expectedVersion: seen }));
const batches = fc
  .array(fc.array(one, { minLength: 1, maxLength: 6 }), { minLength: 8, maxLength: 16 })
  .map((calls) => [[command(first, { type: 'start' })], ...calls]);

/** What a caller may learn; of an error only that there was one. */
const heard = (settled: readonly Settled<unknown>[]) =>
  settled.map((answer) => (answer.kind === 'threw' ? { kind: 'threw' } : answer));

async function everything(store: Store) {
  const ids = runs.flatMap((run) => [1, 2, 3].map((n) => executionId(run, n)));
  const beats = ids.map((execution) => ({
    execution,
    grantId: grantOf('a'),
    beat: 1,
    signals: '{}',
    usage: null,
  }));
  return {
    offers: await Promise.all(ids.map((id) => store.offer(id, 10 as Instant, 20 as Instant))),
    beats: await Promise.all(beats.map((beat) => store.heartbeat(beat))),
    runs: await store.runs({ limit: 10 }),
    open: await store.runs({ limit: 10, open: true }),
    // A position is understood by its own store alone; its order is what all share.
    events: (await store.eventsAfter(null, 1_000)).map(({ position: _, ...event }) => event),
    ready: await store.dispatchable(15 as Instant, 10),
    executions: await store.openExecutions(),
    each: await Promise.all(ids.map((id) => store.execution(id))),
    timers: await store.timersDue(1_000 as Instant, 10),
    timersOfEach: await Promise.all(runs.map((run) => store.timersOf(run))),
    next: await store.nextTimer(),
    approvals: await store.openApprovals(),
    unreferenced: await store.unreferenced(digests),
    unlisted: await store.unlisted(0, 10),
    audit: await store.audit(),
  };
}

/** Plays to memory and to the other, an empty one, and compares what was heard and is there. */
async function agree(calls: readonly (readonly TestCommand[])[], other: Store): Promise<void> {
  const memory = memoryStore();
  for (const commands of calls) {
    const expected = heard(await memory.transact(commands, decideTest));
    expect(heard(await other.transact(commands, decideTest))).toEqual(expected);
  }
  expect(await everything(other)).toEqual(await everything(memory));
}

test('the same commands give the same answers, streams and rows in memory and in the file', async () => {
  await fc.assert(
    fc.asyncProperty(batches, async (calls) => {
      const { directory, remove } = temporary();
      const file = await sqliteStore({ directory, clock });
      try {
        await agree(calls, file);
      } finally {
        await file.close();
        remove();
      }
    }),
    { numRuns: 60 },
  );
});

test('the same commands give the same answers, streams and rows in memory and in the database', async () => {
  const url = await emptyStore(inject('postgres'));
  const database = await openPostgresStore({ url, clock });
  await fc.assert(
    fc.asyncProperty(batches, async (calls) => {
      await emptied(url);
      await agree(calls, database);
    }),
    { numRuns: 20 },
  );
  await database.close();
});
