import { expect, test } from 'vitest';
import { TransientError } from '../kernel/errors.ts';
import { doneOnce, type Keyed } from './done-once.ts';

const hourMs = 3_600_000;
const keyed = (key: string): Keyed => ({ key, caller: 'c', body: {}, instance: undefined });

function bench() {
  let now = 0;
  let done = 0;
  const once = doneOnce({ instance: 'one', now: () => now });
  const count = async () => {
    done += 1;
    return done;
  };
  const pass = (ms: number) => {
    now += ms;
  };
  return { once, count, pass };
}

test('a command that is still being done is not begun again, however long it takes', async () => {
  const { once, count, pass } = bench();
  let end = (_text: string): void => {};
  const landing = once.run(keyed('landing-1'), () => new Promise<string>((done) => (end = done)));
  pass(2 * hourMs);
  await once.run(keyed('another-1'), count);
  const again = once.run(keyed('landing-1'), async () => 'twice');
  end('once');
  expect([await landing, await again]).toEqual(['once', 'once']);
});

test('what was done is known for a while after its end, and then forgotten', async () => {
  const { once, count, pass } = bench();
  expect(await once.run(keyed('number-1'), count)).toBe(1);
  pass(60_000);
  expect(await once.run(keyed('number-1'), count)).toBe(1);
  pass(hourMs);
  expect(await once.run(keyed('number-2'), count)).toBe(2);
  expect(await once.run(keyed('number-1'), count)).toBe(3);
});

test('what may succeed later is done anew with the same key', async () => {
  const { once, count } = bench();
  const busy = once.run(keyed('number-1'), async () => {
    throw new TransientError('store.busy', 'busy');
  });
  await expect(busy).rejects.toMatchObject({ code: 'store.busy' });
  expect(await once.run(keyed('number-1'), count)).toBe(1);
});
