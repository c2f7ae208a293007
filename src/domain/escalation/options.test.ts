import { expect, test } from 'vitest';
import { optionsFor } from './options.ts';

const work = { best: null, paths: [], isUnjudged: false };
const facts = { ...work, maker: 'claude', agent: 'codex' };
const commands = (
  isRefused: boolean,
  reason: Parameters<typeof optionsFor>[0],
  isTrusted = false,
) => optionsFor(reason, '7k2m', { ...facts, isRefused, isTrusted }).map(({ command }) => command);
test('what cannot be carried is first of all told to the agent', () => {
  const told = optionsFor('convergence_signals', '7k2m', { ...facts, isUncarried: true });
  expect(told[0]).toEqual({
    text: 'tell it what to leave out',
    command: 'pawl resume 7k2m --attempts +2 --hint "…"',
  });
  expect(told.map(({ command }) => command)).not.toContain('pawl logs 7k2m');
});

test('nothing is offered that stands on a tree elsewhere, or on work that is not there', () => {
  const told = (known: object) =>
    optionsFor('recovery_exhausted', '7k2m', { ...facts, ...known }).map(({ command }) => command);
  expect(told({}).join('\n')).toMatch(/ --from last[\s\S]*pawl path/);
  expect(told({ isElsewhere: true }).join()).not.toContain('pawl path');
  expect(told({ isRecorded: false }).join()).not.toContain(' --from ');
  const judged = (known: object) =>
    optionsFor('tokens', '7k2m', { ...facts, ...known }).map(({ command }) => command);
  const now = 'pawl resume 7k2m --verify-now';
  expect(judged({ isElsewhere: true })).toContain(now);
  expect(judged({ isRecorded: false })).toContain(now);
  expect(judged({ isElsewhere: true, isRecorded: false })).not.toContain(now);
  const notBegun = { isBegun: false, isRecorded: false };
  expect(told(notBegun).join()).not.toContain('pawl path');
  expect(judged(notBegun)).not.toContain(now);
});

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
