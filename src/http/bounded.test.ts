import { expect, test } from 'vitest';
import { bounded } from './bounded.ts';

function deferred<T>() {
  let resolve: (value: T) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<T>((yes, no) => {
    [resolve, reject] = [yes, no];
  });
  return { promise, resolve, reject };
}

/** Asks that answer when they are told to, under a clock whose sleeps end when they are told to. */
function rig() {
  const asks: ReturnType<typeof deferred<string>>[] = [];
  const sleeps: ReturnType<typeof deferred<void>>[] = [];
  const clock = {
    sleep: () => {
      const sleep = deferred<void>();
      sleeps.push(sleep);
      return sleep.promise;
    },
  };
  const told = bounded({ clock, withinMs: 1_000 }, () => {
    const ask = deferred<string>();
    asks.push(ask);
    return ask.promise;
  });
  return { told, asks, sleeps };
}

test('a store that does not answer is told of in time, and is not asked again meanwhile', async () => {
  const { told, asks, sleeps } = rig();
  const [first, second] = [told(), told()];
  sleeps[0]?.resolve();
  await expect(first).rejects.toMatchObject({ code: 'store.busy', retryable: true });
  sleeps[1]?.resolve();
  await expect(second).rejects.toThrow('within 1000 ms');
  const third = told();
  expect(asks).toHaveLength(1);
  asks[0]?.resolve('late, but in time for who came last');
  await expect(third).resolves.toContain('late');
});

test('what it answers, and how it fails, comes through; then it is asked anew', async () => {
  const { told, asks } = rig();
  const first = told();
  asks[0]?.reject(new Error('gone'));
  await expect(first).rejects.toThrow('gone');
  const second = told();
  asks[1]?.resolve('here');
  await expect(second).resolves.toBe('here');
});
