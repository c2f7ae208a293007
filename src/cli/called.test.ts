import { expect, test } from 'vitest';
import { calledAs } from './called.ts';
import { commandRows } from './commands.ts';
import { verbs } from './verbs.ts';

test('commands are printed as they can be typed from a clone; names in quotes and paths stay', () => {
  const from = (text: string) => calledAs(text, 'npx pawl');
  expect(from('cd "$(pawl path x)"   then  pawl resume x')).toBe(
    'cd "$(npx pawl path x)"   then  npx pawl resume x',
  );
  expect(from('"pawl resume" lifts a halt')).toBe('"pawl resume" lifts a halt');
  expect(from('/state/pawl worktrees')).toBe('/state/pawl worktrees');
  expect(from('pawl runs an agent; pawl has no "kill"; where you got pawl from')).toBe(
    'pawl runs an agent; pawl has no "kill"; where you got pawl from',
  );
  expect(from('pawl config check; pawl <run>; pawl --help; pawl demo: it')).toBe(
    'npx pawl config check; npx pawl <run>; npx pawl --help; pawl demo: it',
  );
  expect(from('npx pawl status')).toBe('npx pawl status');
  expect(calledAs('pawl status', 'pawl')).toBe('pawl status');
});

test('every command is known by its verb', () => {
  expect(verbs).toEqual([...new Set(commandRows.map(({ name }) => name.split(' ')[0]))]);
});
