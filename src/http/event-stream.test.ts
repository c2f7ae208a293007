import { expect, test } from 'vitest';
import type { CancelSignal } from '../kernel/cancel-signal.ts';
import type { Position, StoredEvent } from '../ports/store.ts';
import { type StreamOptions, streamEvents } from './event-stream.ts';

const stored = (n: number): StoredEvent =>
  ({
    position: `${n}` as Position,
    version: n,
    event: { type: 'paused' },
  }) as unknown as StoredEvent;
const many = Array.from({ length: 250 }, (_, i) => stored(i + 1));

/** Time passes by sleeping alone. */
function handClock() {
  let now = 0;
  return {
    monotonicMs: () => now,
    sleep: async (ms: number, signal?: CancelSignal) => {
      if (signal?.aborted !== true) now += ms;
    },
  };
}

/** Reads at once until `until` has come; then it is gone. */
function stream(more: Partial<StreamOptions>, until: string) {
  const gone = new AbortController();
  let text = '';
  const options: StreamOptions = {
    source: {
      page: async (after, limit) =>
        many.filter(({ version }) => version > Number(after ?? 0)).slice(0, limit),
      placeOf: ({ position }) => position,
      reaches: async () => true,
      hints: () => () => {},
    },
    clock: handClock(),
    sink: {
      write: (part) => {
        text += part;
        if (text.includes(until)) gone.abort();
        return true;
      },
      drained: async () => false,
    },
    after: null,
    signal: gone.signal,
    mayGoOn: async () => true,
    spans: { pollMs: 1, restMs: 1, beatMs: 3, drainMs: 1 },
    ...more,
  };
  const ids = () => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
  return { end: streamEvents(options), ids };
}

test('pages follow each other without a gap', async () => {
  const { end, ids } = stream({ after: '7' }, 'id: 250\n');
  expect(await end).toBe('asked');
  expect(ids()).toEqual(many.slice(7).map(({ version }) => version));
});

test('a quiet stream says that it lives', async () => {
  const { end, ids } = stream({ after: '250' }, ': beat\n');
  expect(await end).toBe('asked');
  expect(ids()).toEqual([]);
});

test('a token that was revoked meanwhile ends the stream at the next beat', async () => {
  const { end } = stream({ after: '250', mayGoOn: async () => false }, 'never');
  expect(await end).toBe('refused');
});

test('with a token that was revoked nothing more is sent, however much there is', async () => {
  const asked: string[] = [];
  const mayGoOn = async () => asked.push('asked') < 2;
  const { end, ids } = stream({ after: null, mayGoOn }, 'never');
  expect(await end).toBe('refused');
  expect(ids()).toEqual(many.slice(0, 100).map(({ version }) => version));
});

test('who does not read in time is cut off, with no more than a page kept for him', async () => {
  const parts: string[] = [];
  const sink = {
    write: (part: string) => {
      parts.push(part);
      return parts.length < 2;
    },
    drained: async () => false,
  };
  const { end } = stream({ sink }, 'never');
  expect(await end).toBe('slow');
  expect(parts).toHaveLength(2);
});

test('a hint of a commit is followed at once, however long the poll (D-111)', async () => {
  const written = many.slice(0, 1);
  let hint = () => {};
  const source: StreamOptions['source'] = {
    page: async (after, limit) =>
      written.filter(({ version }) => version > Number(after ?? 0)).slice(0, limit),
    placeOf: ({ position }) => position,
    reaches: async () => true,
    hints: (listener) => {
      hint = listener;
      return () => {};
    },
  };
  // A sleep that a hint, or the reader's leave, calls off; one that is slept to its end is a poll.
  let polls = 0;
  const sleep = (_ms: number, signal?: CancelSignal) =>
    new Promise<void>((resolve) => {
      const over = setTimeout(() => {
        polls += 1;
        resolve();
      }, 2_000);
      signal?.addEventListener('abort', () => {
        clearTimeout(over);
        resolve();
      });
      queueMicrotask(() => {
        written.push(...many.slice(written.length, written.length + 1));
        hint();
      });
    });
  const spans = { pollMs: 1_000_000, restMs: 0 };
  const clock = { monotonicMs: () => 0, sleep };
  const { end, ids } = stream({ source, spans, clock }, 'id: 5\n');
  expect(await end).toBe('asked');
  expect(ids()).toEqual([1, 2, 3, 4, 5]);
  expect(polls).toBe(0);
});
