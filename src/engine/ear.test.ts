import { expect, test } from 'vitest';
import { type CancelSignal, never } from '../kernel/cancel-signal.ts';
import { ear } from './ear.ts';

/** Hints by hand, and sleeps that end only when they are called off. */
function opened() {
  const listeners = new Set<() => void>();
  const sleeps: number[] = [];
  const sleep = (ms: number, signal?: CancelSignal) => {
    sleeps.push(ms);
    return new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()));
  };
  const hints = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const hint = () => {
    for (const listener of listeners) listener();
  };
  return { ears: ear({ hints, sleep }), hint, sleeps, listeners };
}

test('a hint ends the wait', async () => {
  const { ears, hint, sleeps } = opened();
  const waiting = ears.wait(250, never);
  hint();
  await waiting;
  expect(sleeps).toEqual([250]);
});

test('a hint while nobody waits ends the next wait before it begins, and only that one', async () => {
  const { ears, hint, sleeps } = opened();
  hint();
  hint();
  await ears.wait(250, never);
  expect(sleeps).toEqual([]);
  const waiting = ears.wait(100, never);
  expect(sleeps).toEqual([100]);
  hint();
  await waiting;
});

test('the signal ends the wait, and nothing is heard after the close', async () => {
  const { ears, listeners } = opened();
  const gone = new AbortController();
  const waiting = ears.wait(250, gone.signal);
  gone.abort();
  await waiting;
  ears.close();
  expect(listeners.size).toBe(0);
});
