/**
 * Events as they happen, as Server-Sent Events. The places of the store are the ids, so that who
 * reconnects with `Last-Event-ID` gets what followed: nothing twice, nothing left out. Polling
 * makes it right, and the hints of the store make it quick. A connection has one page in memory;
 * who does not read it in time is cut off.
 */
import { type Ear, ear } from '../engine/ear.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store, StoredEvent } from '../ports/store.ts';

export interface EventSource {
  /** Those after that place, oldest first; null: from the first on. */
  page(after: string | null, limit: number): Promise<readonly StoredEvent[]>;
  placeOf(stored: StoredEvent): string;
  /** False: no event was ever there, nor after it. */
  reaches(place: string): Promise<boolean>;
  /** Of commits: there may be more. */
  readonly hints: Store['hints'];
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
  readonly clock: Pick<Clock, 'monotonicMs' | 'sleep'>;
  readonly after: string | null;
  /** Aborts when the reader is gone or the server ends. */
  readonly signal: AbortSignal;
  /** Asked before each page and at every beat; false ends the stream. */
  readonly mayGoOn: () => Promise<boolean>;
  readonly spans?: Partial<StreamSpans>;
}

export interface StreamSpans {
  /** A hint may be lost: a look comes all the same. */
  readonly pollMs: number;
  /** Between two looks that found nothing, however many hints there are. */
  readonly restMs: number;
  readonly beatMs: number;
  readonly drainMs: number;
}

const streamSpans: StreamSpans = {
  pollMs: 250,
  restMs: 20,
  beatMs: 15_000,
  drainMs: 10_000,
};
const pageMax = 100;

export type StreamEnd = 'asked' | 'slow' | 'refused';

/** Ends when the signal aborts, the reader is too slow, or may no longer read. */
export async function streamEvents(options: StreamOptions): Promise<StreamEnd> {
  const { signal, source, clock } = options;
  const spans = { ...streamSpans, ...options.spans };
  const hearing = ear({ hints: source.hints, sleep: clock.sleep });
  try {
    const look = looker(options, spans, hearing.wait);
    let end = await sent(options, spans, 'retry: 2000\n: pawl\n\n');
    while (end === null && !signal.aborted) end = await look();
    return signal.aborted || end === null ? 'asked' : end;
  } finally {
    hearing.close();
  }
}

type Look = () => Promise<StreamEnd | null>;

/** One look at the rows: a page is sent, or it waits, and now and then says that it lives. */
function looker(options: StreamOptions, spans: StreamSpans, wait: Ear['wait']): Look {
  const { source, signal, clock } = options;
  let { after } = options;
  let saidAtMs = clock.monotonicMs();
  return async () => {
    const page = await source.page(after, pageMax);
    const last = page.at(-1);
    if (last !== undefined) {
      // Before anything is sent: a stream that is never quiet has no beat.
      if (!(await options.mayGoOn())) return 'refused';
      after = source.placeOf(last);
      saidAtMs = clock.monotonicMs();
      const frames = page.map((stored) => frame(source.placeOf(stored), stored));
      return sent(options, spans, frames.join(''));
    }
    const lookedAtMs = clock.monotonicMs();
    await wait(spans.pollMs, signal);
    const restMs = spans.restMs - (clock.monotonicMs() - lookedAtMs);
    if (restMs > 0) await clock.sleep(restMs, signal);
    if (clock.monotonicMs() - saidAtMs < spans.beatMs) return null;
    saidAtMs = clock.monotonicMs();
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
