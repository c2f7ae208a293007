/**
 * A run as it goes on: its view and the events since the last look, by polling. Polling is the
 * design (hints are for latency); the interval is bounded and grows when nothing happens.
 */
import type { Client, RunView } from '../ports/client.ts';
import type { StoredEvent } from '../ports/store.ts';
import type { RunId } from '../ports/words.ts';
import type { Io } from './io.ts';

export interface Look {
  readonly view: RunView;
  readonly events: readonly StoredEvent[];
}
export interface FollowOptions {
  readonly client: Client;
  readonly io: Io;
  readonly run: RunId;
  readonly signal: AbortSignal;
  /** Version after which events are wanted; 0: all. */
  readonly after: number;
  /** Aborts to end a sleep early. */
  readonly woken?: () => AbortSignal;
}

const pageMax = 200;
const pagesMax = 100;
const pollMinMs = 100;
const pollMaxMs = 250;
/** A look that fails for a passing reason (a busy store) is tried again this often in a row. */
const failuresMax = 5;

/** Never ends by itself: the caller stops when the view says so, or by the signal. */
export async function* follow(options: FollowOptions): AsyncGenerator<Look> {
  let after = options.after;
  let waitMs = pollMinMs;
  while (!options.signal.aborted) {
    const look = await lookAgain(options, after);
    after = look.events.at(-1)?.version ?? after;
    yield look;
    waitMs = look.events.length > 0 ? pollMinMs : Math.min(pollMaxMs, waitMs + 50);
    await options.io.sleep(waitMs, options.woken?.() ?? options.signal);
  }
}

/** Events first, then the view: a view is never older than the events shown beside it. */
export async function lookOnce(client: Client, run: RunId, after: number): Promise<Look> {
  const events: StoredEvent[] = [];
  for (let page = 0; page < pagesMax; page += 1) {
    const more = await client.events(run, events.at(-1)?.version ?? after, pageMax);
    events.push(...more);
    if (more.length < pageMax) break;
  }
  const view = await client.find({ text: run, project: null });
  return { view, events };
}

async function lookAgain(options: FollowOptions, after: number): Promise<Look> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await lookOnce(options.client, options.run, after);
    } catch (error: unknown) {
      if (failures >= failuresMax || !isPassing(error) || options.signal.aborted) throw error;
      await options.io.sleep(pollMaxMs, options.signal);
    }
  }
}

function isPassing(error: unknown): boolean {
  return error instanceof Error && 'retryable' in error && error.retryable === true;
}
