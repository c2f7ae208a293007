/**
 * Events as they happen, as Server-Sent Events. The places of the store are the ids, so that who
 * reconnects with `Last-Event-ID` gets what followed: nothing twice, nothing left out. Polling
 * makes it right. A connection has one page in memory; who does not read it in time is cut off.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { StoredEvent } from '../ports/store.ts';

export interface EventSource {
  /** Those after that place, oldest first; null: from the first on. */
  page(after: string | null, limit: number): Promise<readonly StoredEvent[]>;
  placeOf(stored: StoredEvent): string;
}

/** What of a response a stream needs. */
export interface Sink {
  /** False: the buffer is full until `drained`. */
  write(text: string): boolean;
  /** Resolves when there is room again, with false when the time is over or the reader is gone. */
  drained(ms: number): Promise<boolean>;
}

export interface StreamOptions {
  readonly source: EventSource;
  readonly sink: Sink;
  readonly after: string | null;
  /** Aborts when the reader is gone or the server ends. */
  readonly signal: AbortSignal;
  /** Asked before each page and at every beat; false ends the stream. */
  readonly mayGoOn: () => Promise<boolean>;
  readonly spans?: Partial<StreamSpans>;
}

export interface StreamSpans {
  readonly pollMs: number;
  readonly beatMs: number;
  readonly drainMs: number;
}

const streamSpans: StreamSpans = { pollMs: 250, beatMs: 15_000, drainMs: 10_000 };
const pageMax = 100;

export type StreamEnd = 'asked' | 'slow' | 'refused';

/** Ends when the signal aborts, the reader is too slow, or may no longer read. */
export async function streamEvents(options: StreamOptions): Promise<StreamEnd> {
  const { signal } = options;
  const spans = { ...streamSpans, ...options.spans };
  const look = looker(options, spans);
  let end = await sent(options, spans, 'retry: 2000\n: pawl\n\n');
  while (end === null && !signal.aborted) end = await look();
  return signal.aborted || end === null ? 'asked' : end;
}

type Look = () => Promise<StreamEnd | null>;

/** One look at the rows: a page is sent, or it waits, and now and then says that it lives. */
function looker(options: StreamOptions, spans: StreamSpans): Look {
  const { source, signal } = options;
  let { after } = options;
  let quietMs = 0;
  return async () => {
    const page = await source.page(after, pageMax);
    const last = page.at(-1);
    if (last !== undefined) {
      // Before anything is sent: a stream that is never quiet has no beat.
      if (!(await options.mayGoOn())) return 'refused';
      after = source.placeOf(last);
      quietMs = 0;
      const frames = page.map((stored) => frame(source.placeOf(stored), stored));
      return sent(options, spans, frames.join(''));
    }
    await sleep(spans.pollMs, signal);
    quietMs += spans.pollMs;
    if (quietMs < spans.beatMs) return null;
    quietMs = 0;
    if (!(await options.mayGoOn())) return 'refused';
    return sent(options, spans, ': beat\n\n');
  };
}

/** Null: it went out, or will; who does not read is cut off by whoever gets `slow`. */
async function sent(
  { sink, signal }: StreamOptions,
  { drainMs }: StreamSpans,
  text: string,
): Promise<StreamEnd | null> {
  if (signal.aborted) return 'asked';
  return sink.write(text) || (await sink.drained(drainMs)) ? null : 'slow';
}

/** JSON has no line ends outside its strings, so that one `data` line holds it. */
const frame = (id: string, stored: StoredEvent): string =>
  `id: ${id}\nevent: ${stored.event.type}\ndata: ${JSON.stringify(stored)}\n\n`;

async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await wait(ms, undefined, { signal });
  } catch (error: unknown) {
    if (!(error instanceof Error && error.name === 'AbortError')) throw error;
  }
}
