import { expect, test } from 'vitest';
import { refusalReasons, refusalsWith, refusalWords } from './refusals.ts';

const one = { count: 1, tool: 'Bash', call: 'git push', why: 'deny' } as const;

test('the first refusal stands, and the others are counted', () => {
  const two = refusalsWith(refusalsWith(undefined, one), { ...one, call: 'rm', why: 'agent' });
  expect(two).toEqual({ ...one, count: 2 });
  expect(refusalWords(one)).toBe('1 request refused: Bash "git push" (onPermission deny)');
  expect(refusalWords(two)).toBe('2 requests refused: Bash "git push" (onPermission deny)');
});

test('each reason has words of its own, in one bounded line', () => {
  const long = { ...one, tool: 't\n'.repeat(200), call: 'x\n'.repeat(900) };
  const told = refusalReasons.map((why) => refusalWords({ ...long, why }));
  expect(new Set(told).size).toBe(refusalReasons.length);
  for (const words of told) {
    expect(words).not.toContain('\n');
    expect(words.length).toBeLessThan(250);
  }
  expect(refusalWords({ ...one, tool: null, why: 'expired' })).toBe(
    '1 request refused: "git push" (expired, nobody answered)',
  );
});
