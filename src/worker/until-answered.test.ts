import { expect, test } from 'vitest';
import { RequestError, TransientError } from '../kernel/errors.ts';
import { isUnanswered, isUnheard, patienceMs, untilAnswered } from './until-answered.ts';

const away = (found: string) =>
  new TransientError('plane_unreachable', 'no answer from http://here', { found });

/** Answers after so many failures; time passes by sleeping alone. */
function rig(failures: readonly Error[], mayPass = isUnanswered) {
  const log: string[] = [];
  const left = [...failures];
  let nowMs = 0;
  const clock = {
    monotonicMs: () => nowMs,
    sleep: async (ms: number) => {
      nowMs += ms;
    },
  };
  const { signal } = new AbortController();
  const asking = untilAnswered(
    { clock, log: (line) => log.push(line), signal, mayPass },
    async () => {
      const next = left.length > 1 ? left.shift() : left.pop();
      if (next !== undefined) throw next;
      return 'known';
    },
  );
  return { asking, log, elapsedMs: () => nowMs };
}

test('a server that starts after its worker is waited for, which is said once', async () => {
  const { asking, log } = rig([away('ECONNREFUSED'), away('ECONNREFUSED'), away('ETIMEDOUT')]);
  await expect(asking).resolves.toBe('known');
  expect(log).toEqual(['no answer from http://here: asked again, for 10m at most']);
});

test('one that never answers is given up in the end, with what it was', async () => {
  const forever = Array.from({ length: 10_000 }, () => away('ECONNREFUSED'));
  const { asking, elapsedMs } = rig(forever);
  await expect(asking).rejects.toMatchObject({ code: 'plane_unreachable' });
  expect(elapsedMs()).toBeLessThan(patienceMs + 5_000);
});

test.each([
  ['what it refuses', new RequestError('not_enrolled', 'unknown'), isUnanswered],
  ['a certificate that is not trusted', away('DEPTH_ZERO_SELF_SIGNED_CERT'), isUnanswered],
  ['a code that may have been heard', away('ECONNRESET'), isUnheard],
] as const)('%s is not asked again', async (_, error, mayPass) => {
  const { asking, log } = rig([error, error], mayPass);
  await expect(asking).rejects.toBe(error);
  expect(log).toEqual([]);
});

test('a code that nobody heard is said again', async () => {
  await expect(rig([away('ECONNREFUSED')], isUnheard).asking).resolves.toBe('known');
});
