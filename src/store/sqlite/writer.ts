/**
 * The writing side: a queue of works and one writer that commits them together (design/store.md,
 * "Drain"). A transaction is one synchronous stretch without `await`; callers hear only after the
 * commit.
 *
 * Invariants:
 *   W1. A work is applied inside exactly one committed transaction, or in none, and then its
 *       caller is told.
 *   W2. Works of one call stay together and in order; calls are taken in the order they came.
 *   W3. A transaction that failed is rolled back whole, then each of its works is tried once alone,
 *       so a poisonous one takes no neighbour with it.
 *   W4. Busy is waited out for at most `patienceMs` from when the call came in.
 */
import { WorldError } from '../../kernel/errors.ts';
import { InvariantViolation } from '../../kernel/invariant.ts';
import type { Clock } from '../../ports/clock.ts';
import type { FaultPoints } from '../../ports/fault-points.ts';
import { bounds } from '../bounds.ts';
import { randomSalts } from '../chain.ts';
import { patienceMs, pauseMs } from '../pause.ts';
import { query } from '../query.ts';
import { stateText } from '../state-text.ts';
import type { Connection } from './connection.ts';
import { checkFormat } from './migrate.ts';
import { busyError, isBusy, sqliteCode, storeError } from './sqlite-error.ts';
import { type Transaction, transaction } from './transaction.ts';

/** Synchronous; may be applied again after a rollback, so it keeps nothing from an earlier try. */
export type Work<T> = (transaction: Transaction) => T;

export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: unknown };

export interface Writer {
  /** All in one transaction if they are not too many; never rejects once the store is open. */
  write<T>(works: readonly Work<T>[]): Promise<readonly Outcome<T>[]>;
  /** Writes what is queued, then closes the connection. */
  close(): Promise<void>;
}

export interface WriterOptions {
  readonly open: () => Promise<Connection>;
  readonly clock: Clock;
  readonly faults?: FaultPoints | undefined;
  /** After each commit, when everybody has heard of it: to look after the size of the log. */
  readonly committed?: (connection: Connection) => void;
}

interface Call {
  readonly works: readonly Work<unknown>[];
  readonly until: number;
  readonly settle: (outcomes: readonly Outcome<unknown>[]) => void;
}

/** Longest stretch in which works are applied before the commit. */
const spanMs = 8;

export function writer(options: WriterOptions): Writer {
  const queue: Call[] = [];
  let pumping: Promise<void> | null = null;
  let connection: Promise<Connection> | null = null;
  let closed = false;

  const pump = async (): Promise<void> => {
    try {
      connection ??= options.open();
      const open = await connection;
      const drain = drainOf(options, open, queue);
      while (queue.length > 0) {
        // Whatever comes in during this turn of the event loop shares the transaction.
        await new Promise(setImmediate);
        await drain();
      }
    } catch (error: unknown) {
      // It could not be opened: the next call tries again.
      connection = null;
      for (const call of queue.splice(0)) call.settle(failing(call, storeError(error)));
    }
  };

  return {
    write: <T>(works: readonly Work<T>[]) => {
      if (closed) return Promise.reject(new WorldError('store_closed', 'the store was closed'));
      const until = options.clock.monotonicMs() + patienceMs;
      const enqueue = (part: readonly Work<T>[]): Promise<readonly Outcome<T>[]> =>
        new Promise((settle) => {
          queue.push({ works: part, until, settle: settle as Call['settle'] });
        });
      const parts = inParts(works).map(enqueue);
      start();
      const [first, ...rest] = parts;
      if (first !== undefined && rest.length === 0) return first;
      return Promise.all(parts).then((outcomes) => outcomes.flat());
    },
    close: async () => {
      closed = true;
      while (pumping !== null) await pumping;
      const open = connection === null ? null : await connection;
      connection = null;
      open?.close();
    },
  };

  function start(): void {
    pumping ??= pump().finally(() => {
      pumping = null;
      if (queue.length > 0) start();
    });
  }
}

function inParts<T>(works: readonly T[]): readonly (readonly T[])[] {
  if (works.length > 0 && works.length <= bounds.commandsMax) return [works];
  const parts: T[][] = [];
  for (let from = 0; from < works.length; from += bounds.commandsMax) {
    parts.push(works.slice(from, from + bounds.commandsMax));
  }
  return parts;
}

const failing = (call: Call, error: unknown): readonly Outcome<unknown>[] =>
  call.works.map(() => ({ ok: false, error }));

/** Commits the head of the queue; waits outside the transaction while others hold the store. */
function drainOf(
  options: WriterOptions,
  connection: Connection,
  queue: Call[],
): () => Promise<void> {
  const { clock } = options;
  const commit = committer(options, connection);
  const finish = async (attempt: Exclude<Attempt, { kind: 'busy' }>): Promise<void> => {
    if (attempt.kind === 'failed') {
      for (const call of queue.splice(0, attempt.calls)) await alone(clock, commit, call);
      return;
    }
    for (const outcomes of attempt.outcomes) queue.shift()?.settle(outcomes);
    options.committed?.(connection);
  };
  return async () => {
    for (let tries = 0; queue.length > 0; tries += 1) {
      const attempt = commit(queue);
      if (attempt.kind !== 'busy') return finish(attempt);
      giveUp(queue, clock.monotonicMs(), attempt.error);
      await clock.sleep(pauseMs(tries, Math.random()));
    }
  };
}

/** Those who have waited long enough hear that the store is busy; nothing of theirs was written. */
function giveUp(queue: Call[], now: number, error: unknown): void {
  const patient = queue.filter((call) => call.until > now);
  const gone = queue.filter((call) => call.until <= now);
  queue.splice(0, queue.length, ...patient);
  for (const call of gone) call.settle(failing(call, busyError(error)));
}

type Attempt =
  | { readonly kind: 'committed'; readonly outcomes: readonly (readonly Outcome<unknown>[])[] }
  | { readonly kind: 'busy'; readonly error: unknown }
  /** Rolled back; `calls` of the queue were in it. */
  | { readonly kind: 'failed'; readonly calls: number; readonly error: unknown };

const beginWrite = query<[]>('begin immediate');
const commitAll = query<[]>('commit');

type Committer = (calls: readonly Call[]) => Attempt;

function committer(options: WriterOptions, connection: Connection): Committer {
  const means = { salt: randomSalts(), states: stateText() };
  const { clock, faults } = options;
  return (calls) => {
    const outcomes: (readonly Outcome<unknown>[])[] = [];
    try {
      connection.run(beginWrite);
      checkFormat(connection);
      const open = transaction(connection, means);
      const until = clock.monotonicMs() + spanMs;
      let works = 0;
      for (const call of calls) {
        if (works > 0 && works + call.works.length > bounds.commandsMax) break;
        works += call.works.length;
        // Announced as in the transaction before it is tried: a failure names it too.
        outcomes.push([]);
        outcomes[outcomes.length - 1] = call.works.map((work) => ({ ok: true, value: work(open) }));
        if (clock.monotonicMs() >= until) break;
      }
      open.flush();
      faults?.reached('store.before_commit');
      connection.run(commitAll);
    } catch (error: unknown) {
      return rolledBack(connection, error, outcomes.length);
    }
    // Past the commit nothing may be taken for a failure: its works would be applied twice.
    faults?.reached('store.after_commit');
    return { kind: 'committed', outcomes };
  };
}

function rolledBack(connection: Connection, error: unknown, calls: number): Attempt {
  try {
    connection.exec('rollback');
  } catch (failure: unknown) {
    // SQLite rolls some failures back by itself (a full disk), and then knows of no transaction.
    if (sqliteCode(failure) !== 1) {
      const both = new AggregateError([error, failure], 'a failed transaction was not rolled back');
      return { kind: 'failed', calls: Math.max(1, calls), error: both };
    }
  }
  if (isBusy(error)) return { kind: 'busy', error };
  return { kind: 'failed', calls: Math.max(1, calls), error };
}

/** Each work of a call in a transaction of its own, so that the one at fault is found. */
async function alone(clock: Clock, commit: Committer, call: Call): Promise<void> {
  const outcomes: Outcome<unknown>[] = [];
  for (const work of call.works) {
    outcomes.push(await once(clock, commit, { ...call, works: [work] }));
  }
  call.settle(outcomes);
}

async function once(clock: Clock, commit: Committer, call: Call): Promise<Outcome<unknown>> {
  for (let tries = 0; ; tries += 1) {
    const attempt = commit([call]);
    if (attempt.kind === 'committed') return attempt.outcomes[0]?.[0] ?? nothing;
    if (attempt.kind === 'failed') return { ok: false, error: storeError(attempt.error) };
    if (clock.monotonicMs() >= call.until) return { ok: false, error: busyError(attempt.error) };
    await clock.sleep(pauseMs(tries, Math.random()));
  }
}

const nothing: Outcome<never> = {
  ok: false,
  error: new InvariantViolation('one work has one outcome'),
};
