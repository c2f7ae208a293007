import { expect, test } from 'vitest';
import type { Instant, RunId } from '../domain/ids.ts';
import type { RunAggregate } from '../domain/run/aggregate.ts';
import { TransientError } from '../kernel/errors.ts';
import { err, ok } from '../kernel/result.ts';
import type { Decide, Settled, StreamCommand } from '../ports/store.ts';
import { type Drain, drain, drainDefaults } from './drain.ts';
import { emptyAggregate } from './fold.ts';

interface Word extends StreamCommand {
  readonly says: string;
}

type Transact = (
  commands: readonly Word[],
  decide: Decide<Word, string>,
) => Promise<readonly Settled<string>[]>;

const word = (run: string, says: string): Word => ({
  run: run as RunId,
  at: 0 as Instant,
  actor: 'ada',
  says,
});

const change = {
  events: [],
  next: emptyAggregate,
  rows: {
    executions: [],
    setTimers: [],
    clearTimers: [],
    openApprovals: [],
    closeApprovals: [],
    references: [],
  },
};

/** A store that decides and remembers what it was asked together. */
function scripted(decideWord: (says: string) => ReturnType<Decide<Word, string>>) {
  const batches: string[][] = [];
  const transact: Transact = async (commands, decide) => {
    batches.push(commands.map(({ says }) => says));
    return commands.map((command) => settle(decide, command));
  };
  return { batches, transact, decide: (_: RunAggregate, { says }: Word) => decideWord(says) };
}

function settle(decide: Decide<Word, string>, command: Word): Settled<string> {
  try {
    const decided = decide(emptyAggregate, command, 0);
    return decided.ok
      ? { kind: 'committed', version: 1, next: decided.value.next }
      : { kind: 'rejected', rejection: decided.error, next: emptyAggregate };
  } catch (error: unknown) {
    return { kind: 'threw', error };
  }
}

function queueOver(
  parts: { readonly transact: Transact; readonly decide: Decide<Word, string> },
  afterThrow: (command: Word) => Word | null = () => null,
): Drain<Word, string> & { readonly slept: number[] } {
  const slept: number[] = [];
  const queue = drain<Word, string>({
    store: { transact: parts.transact as never },
    clock: {
      now: () => 0 as Instant,
      monotonicMs: () => 0,
      sleep: async (ms) => {
        slept.push(ms);
      },
    },
    ids: { fraction: () => 0.5 },
    decide: parts.decide,
    afterThrow,
  });
  return { ...queue, slept };
}

test('commands of different runs share a transaction, those of one run keep their order', async () => {
  const store = scripted(() => ok(change));
  const queue = queueOver(store);
  await Promise.all([word('a', 'a1'), word('a', 'a2'), word('b', 'b1')].map(queue.submit));
  expect(store.batches).toEqual([['a1', 'b1'], ['a2']]);
});

test('a transaction holds at most 128 commands', async () => {
  const store = scripted(() => ok(change));
  const queue = queueOver(store);
  const words = Array.from({ length: 300 }, (_, index) => word(`r${index}`, `${index}`));
  await Promise.all(words.map(queue.submit));
  expect(store.batches.map(({ length }) => length)).toEqual([128, 128, 44]);
  expect(queue.size()).toBe(0);
});

test('a rejection is an answer and is not tried again', async () => {
  const store = scripted(() => err('no'));
  const settled = await queueOver(store).submit(word('a', 'a1'));
  expect(settled).toMatchObject({ kind: 'rejected', rejection: 'no' });
  expect(store.batches).toHaveLength(1);
});

test('a command that throws parks its own run and the others carry on', async () => {
  const store = scripted((says) => {
    if (says === 'bug') throw new Error('a bug');
    return ok(change);
  });
  const queue = queueOver(store, ({ run, says }) => (says === 'bug' ? word(run, 'park') : null));
  const [bug, fine] = await Promise.all([
    queue.submit(word('a', 'bug')),
    queue.submit(word('b', 'fine')),
  ]);
  expect(bug.kind).toBe('threw');
  expect(fine.kind).toBe('committed');
  expect(store.batches).toEqual([['bug', 'fine'], ['park']]);
});

test('a busy store is asked again, bounded, before later commands of the run', async () => {
  const asked: string[] = [];
  const queue = queueOver({
    decide: () => ok(change),
    transact: async (commands) => {
      asked.push(...commands.map(({ says }) => says));
      return commands.map(() => ({ kind: 'unavailable', error: busy }));
    },
  });
  const [first] = await Promise.all([word('a', 'a1'), word('a', 'a2')].map(queue.submit));
  expect(first).toEqual({ kind: 'unavailable', error: busy });
  const tries = Array.from({ length: drainDefaults.triesMax });
  expect(asked).toEqual([...tries.map(() => 'a1'), ...tries.map(() => 'a2')]);
  expect(queue.slept.length).toBe(2 * (drainDefaults.triesMax - 1));
});

test('an issuer that named a version hears that it moved; another is decided again', async () => {
  let asked = 0;
  const moved = { kind: 'version_moved', version: 7 } as const;
  const queue = queueOver({
    decide: () => ok(change),
    transact: async (commands) => {
      asked += 1;
      return commands.map(() =>
        asked === 2 ? { kind: 'committed', version: 8, next: emptyAggregate } : moved,
      );
    },
  });
  expect(await queue.submit(word('a', 'a1'))).toMatchObject({ kind: 'committed' });
  const named = { ...word('a', 'a2'), expectedVersion: 3 };
  expect(await queue.submit(named)).toEqual(moved);
  expect(asked).toBe(3);
});

test('a store that throws settles every command of the transaction', async () => {
  const queue = queueOver({
    decide: () => ok(change),
    transact: async () => {
      throw new Error('disk');
    },
  });
  const settled = await Promise.all([word('a', 'a1'), word('b', 'b1')].map(queue.submit));
  expect(settled.map(({ kind }) => kind)).toEqual(['unavailable', 'unavailable']);
});

const busy = new TransientError('store.busy', 'busy');
