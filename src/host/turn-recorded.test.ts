import { expect, test } from 'vitest';
import type { Instant } from '../domain/ids.ts';
import { untilRecorded } from './turn-recorded.ts';

/** A world whose time passes by sleeping alone; `recordedAt`: null: never. */
function world(recordedAt: number | null, note = (_text: string): void => {}) {
  let nowMs = 0;
  let looks = 0;
  const failures: unknown[] = [];
  const sleep = async (ms: number) => {
    nowMs += ms;
  };
  return {
    ...{ nowMs: () => nowMs, looks: () => looks, failures },
    clock: { now: () => nowMs as Instant, monotonicMs: () => nowMs, sleep },
    spans: { recordingMs: 100, recordWatchMs: 10 },
    talk: {
      isRecorded() {
        looks += 1;
        return recordedAt !== null && nowMs >= recordedAt;
      },
    },
    journal: { note },
    onJournalFailure: (error: unknown) => failures.push(error),
  };
}
const going = new AbortController().signal;

test('what is written down by then is not waited for, what comes soon is', async () => {
  const told: string[] = [];
  for (const recordedAt of [0, 30]) {
    const one = world(recordedAt, (text) => told.push(text));
    await untilRecorded(one, going);
    expect(one.nowMs()).toBe(recordedAt);
  }
  expect(told).toEqual([]);
});

test('what never comes is given up after a while, and told of', async () => {
  const told: string[] = [];
  const never = world(null, (text) => told.push(text));
  await untilRecorded(never, going);
  expect(never.nowMs()).toBe(100);
  expect(told).toEqual([expect.stringContaining('did not write down the end of its turn')]);
});

test('a journal that fails then is told on, and nothing more', async () => {
  const full = new Error('no room');
  const never = world(null, () => {
    throw full;
  });
  await untilRecorded(never, going);
  expect(never.failures).toEqual([full]);
});

test('a turn that is over is not looked at', async () => {
  const never = world(null);
  await untilRecorded(never, AbortSignal.abort());
  expect(never.looks()).toBe(0);
});
