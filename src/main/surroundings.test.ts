import { tmpdir } from 'node:os';
import { afterEach, expect, test } from 'vitest';
import { surroundings } from './surroundings.ts';

const names = ['PAWL_HOME', 'XDG_STATE_HOME', 'TMPDIR'] as const;
const before = names.map((name) => [name, process.env[name]] as const);
afterEach(() => {
  for (const [name, value] of before) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
});

/** Goal: what a reboot clears never holds runs (L-J9). */
test('state lies in the state folder of the user, never among temporary files (L-J9)', () => {
  for (const name of names) delete process.env[name];
  const { home, userHome } = surroundings(import.meta.url);
  expect(home).toBe(`${userHome}/.local/state/pawl`);
  process.env['TMPDIR'] = '/tmp/elsewhere';
  expect(surroundings(import.meta.url).home).toBe(home);
  expect(home.startsWith(`${tmpdir()}/`)).toBe(false);
  process.env['XDG_STATE_HOME'] = 'relative/is/ignored';
  expect(surroundings(import.meta.url).home).toBe(home);
});
