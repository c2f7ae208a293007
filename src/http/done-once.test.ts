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

test('the same command again has the same answer; another one with its key is refused (XP-14, XP-15, PL-84)', async () => {
  const once = doneOnce({ instance: 'i', now: () => 0 });
  const keyed = { key: 'key-of-this-one', caller: 'ada', body: { a: 1 }, instance: undefined };
  let done = 0;
  const command = async () => {
    done += 1;
    return `done ${done}`;
  };
  expect(await once.run(keyed, command)).toBe('done 1');
  expect(await once.run(keyed, command)).toBe('done 1');
  await expect(once.run({ ...keyed, body: { a: 2 } }, command)).rejects.toMatchObject({
    code: 'bad_value',
    details: { where: 'idempotency-key' },
  });
  // Nobody is answered with what another one asked for.
  expect(await once.run({ ...keyed, caller: 'bob' }, command)).toBe('done 2');
  // A server that was not asked first knows nothing of it, and does not do it a second time.
  const elsewhere = doneOnce({ instance: 'j', now: () => 0 });
  await expect(elsewhere.run({ ...keyed, instance: 'i' }, command)).rejects.toMatchObject({
    code: 'outcome_unknown',
  });
  expect(done).toBe(2);
});
