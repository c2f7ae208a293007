/**
 * The queue of commands in front of the store. Commands of different runs share a transaction;
 * commands of one run go one at a time and in order, so that a retry cannot overtake.
 *
 * Promises: a submitted command settles exactly once, and only after its commit. A command that
 * throws harms nobody else: its run is parked `internal_error` and the others carry on. A transient
 * failure is tried again at most {@link DrainLimits.triesMax} times.
 */

import type { RunId } from '../domain/ids.ts';
import type { RunAggregate } from '../domain/run/aggregate.ts';
import { ProductError } from '../kernel/errors.ts';
import { InvariantViolation } from '../kernel/invariant.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { Decide, Settled, Store, StreamCommand } from '../ports/store.ts';

export interface DrainLimits {
  readonly commandsMax: number;
  /** Aim for the length of one transaction; the next one is sized by what the last ones took. */
  readonly spanMs: number;
  readonly triesMax: number;
  readonly backoffMs: number;
}

export const drainDefaults: DrainLimits = {
  commandsMax: 128,
  spanMs: 8,
  triesMax: 4,
  backoffMs: 50,
};

export interface DrainOptions<C extends StreamCommand, R> {
  readonly store: Pick<Store, 'transact'>;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'fraction'>;
  readonly decide: Decide<C, R>;
  /** What is decided for a run of which a command threw; null: nothing can be done about it. */
  readonly afterThrow: (command: C, error: unknown) => C | null;
  readonly limits?: DrainLimits;
}

export interface Drain<C extends StreamCommand, R> {
  /** Settles after the commit; never rejects for what a command or the store did. */
  submit(command: C): Promise<Settled<R>>;
  /** Commands that are queued or in flight. */
  size(): number;
}

interface Entry<C, R> {
  readonly command: C;
  readonly settle: (settled: Settled<R>) => void;
  tries: number;
}

export function drain<C extends StreamCommand, R>(options: DrainOptions<C, R>): Drain<C, R> {
  const limits = options.limits ?? drainDefaults;
  const waiting: Entry<C, R>[] = [];
  const pace = paceOf(options, limits);
  let inFlight = 0;
  let pumping = false;

  const park = (entry: Entry<C, R>, settled: Settled<R> & { readonly kind: 'threw' }): void => {
    const instead = options.afterThrow(entry.command, settled.error);
    if (instead === null) entry.settle(settled);
    else waiting.unshift({ command: instead, settle: () => entry.settle(settled), tries: 0 });
  };
  /** What is to be tried again goes back to the front, before the later commands of its run. */
  const settle = (batch: readonly Entry<C, R>[], settled: readonly Settled<R>[]): number => {
    const again: Entry<C, R>[] = [];
    for (const [index, entry] of batch.entries()) {
      const outcome = settled[index] ?? missing;
      if (mayRetry(entry, outcome, limits)) again.push(entry);
      else if (outcome.kind === 'threw') park(entry, outcome);
      else entry.settle(outcome);
    }
    waiting.unshift(...again);
    return Math.max(0, ...again.map((entry) => entry.tries));
  };
  const pump = async (): Promise<void> => {
    // Whatever is submitted in the same turn of the event loop shares the first transaction.
    await Promise.resolve();
    while (waiting.length > 0) {
      const batch = takeBatch(waiting, pace.commandsMax());
      inFlight = batch.length;
      const tries = settle(batch, await transact(options.store, batch, pace.decide));
      inFlight = 0;
      if (tries > 0) {
        await options.clock.sleep(limits.backoffMs * 2 ** tries * (0.5 + options.ids.fraction()));
      }
    }
    pumping = false;
  };

  return {
    submit: (command) =>
      new Promise((resolve) => {
        waiting.push({ command, settle: resolve, tries: 0 });
        if (pumping) return;
        pumping = true;
        void pump();
      }),
    size: () => waiting.length + inFlight,
  };
}

const missing: Settled<never> = {
  kind: 'unavailable',
  error: new InvariantViolation('the store settles every command'),
};

/** Oldest first, at most one command of each run: the rest keep their places. */
function takeBatch<C extends StreamCommand, R>(
  waiting: Entry<C, R>[],
  commandsMax: number,
): readonly Entry<C, R>[] {
  const runs = new Set<RunId>();
  const batch: Entry<C, R>[] = [];
  const rest: Entry<C, R>[] = [];
  for (const entry of waiting) {
    if (batch.length < commandsMax && !runs.has(entry.command.run)) batch.push(entry);
    else rest.push(entry);
    runs.add(entry.command.run);
  }
  waiting.splice(0, waiting.length, ...rest);
  return batch;
}

async function transact<C extends StreamCommand, R>(
  store: Pick<Store, 'transact'>,
  batch: readonly Entry<C, R>[],
  decide: Decide<C, R>,
): Promise<readonly Settled<R>[]> {
  const commands = batch.map(({ command }) => command);
  try {
    return await store.transact(commands, decide);
  } catch (error: unknown) {
    return batch.map(() => ({ kind: 'unavailable', error }));
  }
}

/** Counts the try. An issuer that named a version wants to hear that it moved. */
function mayRetry<C extends StreamCommand, R>(
  entry: Entry<C, R>,
  outcome: Settled<R>,
  limits: DrainLimits,
): boolean {
  const transient =
    outcome.kind === 'version_moved'
      ? entry.command.expectedVersion === undefined
      : outcome.kind === 'unavailable' &&
        outcome.error instanceof ProductError &&
        outcome.error.retryable;
  if (!transient || entry.tries + 1 >= limits.triesMax) return false;
  entry.tries += 1;
  return true;
}

/**
 * Sizes a transaction by what a command costs between two decisions; the sync of the disk, which
 * all share, is left out, so that a slow disk makes transactions no smaller.
 */
function paceOf<C extends StreamCommand, R>(
  options: Pick<DrainOptions<C, R>, 'clock' | 'decide'>,
  limits: DrainLimits,
): { readonly commandsMax: () => number; readonly decide: Decide<C, R> } {
  let last: number | null = null;
  let costMs = 0;
  return {
    commandsMax: () => {
      last = null;
      const fitting = costMs > 0 ? Math.floor(limits.spanMs / costMs) : limits.commandsMax;
      return Math.max(1, Math.min(limits.commandsMax, fitting));
    },
    decide: (aggregate: RunAggregate, command: C, held: number) => {
      const now = options.clock.monotonicMs();
      if (last !== null) costMs = 0.9 * costMs + 0.1 * (now - last);
      last = now;
      return options.decide(aggregate, command, held);
    },
  };
}
