import { expect, test } from 'vitest';
import { typed } from '../../test/support/scripted-cli.ts';
import { scriptedClient } from '../../test/support/scripted-client.ts';

test.each([
  [[], 'next-turn', 'hint taken for the next turn'],
  [['--when', 'next-attempt'], 'next-attempt', 'hint taken for the next attempt'],
] as const)('hint %j is for the %s', async (flags, when, words) => {
  const client = scriptedClient();
  const { exit, out } = await typed(['hint', '7k2m', ' weeks.ts ', ...flags], { client });
  expect({ exit, first: out.split('\n')[0] }).toEqual({
    exit: 0,
    first: `fix-date-parsing 7k2m · ${words}`,
  });
  expect(client.calls[0]?.details[0]).toBe('weeks.ts');
  expect(client.calls[0]?.details[2]).toBe(when);
});

test('--when takes two values', async () => {
  const { err } = await typed(['hint', '7k2m', 'x', '--when', 'later']);
  expect(err).toContain('allowed      next-turn, next-attempt');
});

test('a tool for differences is started on a terminal alone', async () => {
  const { err, exit } = await typed(['diff', '7k2m', '--tool']);
  expect(exit).toBe(2);
  expect(err).toContain('--tool needs a terminal');
  expect(err).toContain('pawl diff 7k2m --stat');
});
