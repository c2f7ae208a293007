import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AnsweredRequest, requestLog } from './request-log.ts';

const bounds = { requestsMax: 3, charactersMax: 10 };
const kept = (bodies: readonly string[]) => {
  const log = requestLog(bounds);
  for (const body of bodies) log.add({ body } as AnsweredRequest);
  return log.newest().map(({ body }) => body);
};

test('the newest requests are kept within both bounds', () => {
  expect(kept(['a', 'b', 'c', 'd'])).toEqual(['b', 'c', 'd']);
  expect(kept(['1234', '1234', '1234'])).toEqual(['1234', '1234']);
  expect(kept(['a', 'larger than all'])).toEqual(['larger than all']);
});

test('what is kept is the longest tail that fits', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 12 }), { maxLength: 12 }), (bodies) => {
      const tail = kept(bodies);
      expect(tail).toEqual(bodies.slice(bodies.length - tail.length));
      const fits = (some: readonly string[]) => some.length <= 3 && some.join('').length <= 10;
      if (tail.length > 1) expect(fits(tail)).toBe(true);
      const longer = bodies.slice(bodies.length - tail.length - 1);
      if (tail.length < bodies.length) expect(fits(longer)).toBe(false);
    }),
  );
});
