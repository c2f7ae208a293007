/**
 * The drain on PostgreSQL (design/store.md, "Drain"): one load, pure decisions, one statement that
 * writes, with compare-and-set on the version of each run.
 *
 * Invariants:
 *   D1. A command is part of exactly one committed transaction, or of none, and then its caller is
 *       told.
 *   D2. Commands of one run keep their order. A run that moved meanwhile drops out alone, with all
 *       of its commands, and they are decided again.
 *   D3. A statement that failed wrote nothing: each of its commands is tried once alone, so that a
 *       poisonous one takes no neighbour with it. One that only met others is decided again.
 *   D4. A connection that is lost under way leaves a question, which is answered from the database
 *       before anything else is done: what the lost session still does is ended, then its events
 *       are looked for.
 *   D5. No round begins later than `patienceMs` from when the call came in; a round ends by the
 *       timeouts of its connection, and the search for an answer (D4) after `patienceMs`.
 *   D6. A run is decided on before its transaction gets a number, so that in the order of (tx,
 *       position) the events of a run come by version.
 */
import { ProductError, WorldError } from '../../kernel/errors.ts';
import type { Decide, Settled, StreamCommand } from '../../ports/store.ts';
import { bounds } from '../bounds.ts';
import { randomSalts } from '../chain.ts';
import { patienceMs, pauseMs } from '../pause.ts';
import { stateText } from '../state-text.ts';
import type { DrainOptions, Pending } from './pending.ts';
import { busyError, isContended, isLost, storeError } from './pg-error.ts';
import { type Round, runRound } from './round.ts';

export interface Drain {
  transact<C extends StreamCommand, R>(
    commands: readonly C[],
    decide: Decide<C, R>,
  ): Promise<readonly Settled<R>[]>;
  /** Writes what is queued. */
  close(): Promise<void>;
}

/** So many lost races, and it stands in line. */
const racesMax = 3;

export function drain(options: DrainOptions): Drain {
  const queue: Pending[] = [];
  let pumping: Promise<void> | null = null;
  let closed = false;
  const rounds = roundsOf(options, queue);

  const start = (): void => {
    pumping ??= rounds().finally(() => {
      pumping = null;
      if (queue.length > 0) start();
    });
  };
  return {
    transact: (commands, decide) => {
      if (closed) return Promise.reject(new WorldError('store_closed', 'the store was closed'));
      const call = Symbol();
      const until = options.clock.monotonicMs() + patienceMs;
      const answers = commands.map(
        (command) =>
          new Promise<Settled<unknown>>((settle) => {
            const shared = { call, until, settle, lost: 0, alone: false, trouble: null };
            queue.push({ ...shared, command, decide: decide as unknown as Pending['decide'] });
          }),
      );
      if (commands.length > 0) start();
      return Promise.all(answers) as Promise<readonly Settled<never>[]>;
    },
    close: async () => {
      closed = true;
      while (pumping !== null) await pumping;
    },
  };
}

function roundsOf(options: DrainOptions, queue: Pending[]): () => Promise<void> {
  const means = { salt: randomSalts(), states: stateText() };
  const { clock, committed } = options;
  let tries = 0;
  const again = (taken: readonly Pending[]): void => {
    queue.unshift(...taken);
    tries += 1;
  };
  const one = async (taken: readonly Pending[]): Promise<void> => {
    const round: Round = { ...options, taken, means, queued: taken.some(standsInLine) };
    const settled = await runRound(round);
    if (settled.wrote) committed();
    for (const [pending, answer] of settled.answers) pending.settle(answer);
    queue.unshift(...settled.left);
    if (settled.again.length === 0) tries = 0;
    else again(settled.again);
  };
  return async () => {
    while (queue.length > 0) {
      // Whatever comes in during this turn of the event loop shares the transaction.
      await new Promise(setImmediate);
      giveUp(queue, clock.monotonicMs());
      const taken = take(queue);
      if (taken.length === 0) continue;
      try {
        await one(taken);
      } catch (error: unknown) {
        failed(taken, error, again);
      }
      if (tries > 0) await clock.sleep(pauseMs(Math.min(tries, 6) - 1, Math.random()));
    }
  };
}

const standsInLine = ({ lost }: Pending): boolean => lost >= racesMax;

/** Whole calls, at most so many commands; one that is to be tried alone is alone. */
function take(queue: Pending[]): readonly Pending[] {
  const [first] = queue;
  if (first === undefined) return [];
  if (first.alone) return queue.splice(0, 1);
  const single = queue.findIndex(({ alone }) => alone);
  const count = Math.min(single < 0 ? queue.length : single, bounds.commandsMax);
  // The call at the cut stays together, unless it fills a transaction by itself.
  const cut = queue[count]?.call;
  let whole = count;
  while (whole > 0 && queue[whole - 1]?.call === cut) whole -= 1;
  return queue.splice(0, whole > 0 ? whole : count);
}

/** Those who have waited long enough hear why; nothing of theirs was written. */
function giveUp(queue: Pending[], now: number): void {
  const gone = queue.filter(({ until }) => until <= now);
  if (gone.length === 0) return;
  queue.splice(0, queue.length, ...queue.filter(({ until }) => until > now));
  for (const { settle, trouble } of gone) {
    settle({ kind: 'unavailable', error: trouble === null ? busyError() : storeError(trouble) });
  }
}

/** Nothing of it was written. */
function failed(
  taken: readonly Pending[],
  error: unknown,
  again: (taken: readonly Pending[]) => void,
): void {
  const isOver = !isContended(error) && !isLost(error);
  if (!isOver || taken.length > 1) {
    for (const pending of taken) {
      pending.trouble = error;
      pending.alone ||= isOver;
    }
    again(taken);
    return;
  }
  const told = storeError(error);
  const kind = told instanceof ProductError ? 'unavailable' : 'threw';
  for (const { settle } of taken) settle({ kind, error: told });
}
