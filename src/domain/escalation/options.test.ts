import { expect, test } from 'vitest';
import { optionsFor } from './options.ts';

const facts = { best: null, paths: [], maker: 'claude', isUnjudged: false };
const commands = (
  isRefused: boolean,
  reason: Parameters<typeof optionsFor>[0],
  isTrusted = false,
) => optionsFor(reason, '7k2m', { ...facts, isRefused, isTrusted }).map(({ command }) => command);
const more = 'pawl retry 7k2m --permissions trusted --from last';

test('where calls were refused the options lead to permissions, once each (L-H15)', () => {
  expect(commands(false, 'attempts_exhausted')).not.toContain(more);
  for (const reason of ['attempts_exhausted', 'permission_denied', 'no_progress'] as const) {
    const told = commands(true, reason);
    expect(told[1]).toBe(more);
    expect(new Set(told).size).toBe(told.length);
    expect(told.at(-1)).toBe('pawl cancel 7k2m');
  }
  for (const reason of ['attempts_exhausted', 'permission_denied'] as const) {
    expect(commands(true, reason, true)).not.toContain(more);
  }
  const texts = optionsFor('permission_denied', '7k2m', facts).map(({ text }) => text);
  expect(texts).toContain('change the definition (permissions, onPermission)');
});
