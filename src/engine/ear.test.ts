import { expect, test } from 'vitest';
import { type CancelSignal, never } from '../kernel/cancel-signal.ts';
import { ear } from './ear.ts';

/** Hints by hand, and sleeps that are over long after they should have been called off. */
function opened() {
  const listeners = new Set<() => void>();
  const sleeps: number[] = [];
  const overslept: number[] = [];
  const sleep = (ms: number, signal?: CancelSignal) => {
    sleeps.push(ms);
    return new Promise<void>((resolve) => {
      const late = setTimeout(() => {
        overslept.push(ms);
        resolve();
      }, 2_000);
      signal?.addEventListener('abort', () => {
        clearTimeout(late);
        resolve();
      });
    });
  };
  const hints = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const hint = () => {
    for (const listener of listeners) listener();
  };
  return { ears: ear({ hints, sleep }), hint, sleeps, overslept, listeners };
}

test('a hint ends the wait', async () => {
  const { ears, hint, sleeps, overslept } = opened();
  const waiting = ears.wait(250, never);
  hint();
  await waiting;
  expect({ sleeps, overslept }).toEqual({ sleeps: [250], overslept: [] });
});

test('a hint while nobody waits ends the next wait before it begins, and only that one', async () => {
  const { ears, hint, sleeps, overslept } = opened();
  hint();
  hint();
  await ears.wait(250, never);
  expect(sleeps).toEqual([]);
  const waiting = ears.wait(100, never);
  expect(sleeps).toEqual([100]);
  hint();
  await waiting;
  expect(overslept).toEqual([]);
});

test('the signal ends the wait, and nothing is heard after the close', async () => {
  const { ears, listeners, overslept } = opened();
  const gone = new AbortController();
  const waiting = ears.wait(250, gone.signal);
  gone.abort();
  await waiting;
  expect(overslept).toEqual([]);
  ears.close();
  expect(listeners.size).toBe(0);
});
