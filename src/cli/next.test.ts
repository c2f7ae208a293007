/** Goal: what a page tells to type next is something that this very run can do. */
import { expect, test } from 'vitest';
import { exampleView } from '../../test/support/example-run.ts';
import { stepsFor } from './next.ts';

const commands = (change: Parameters<typeof exampleView>[0]) =>
  stepsFor(exampleView({ phase: null, ...change }), 'pawl').map(({ command }) => command);

test('verified work lands; overridden work lands without the checks that it fails', () => {
  const done = { status: 'complete', verification: 'passed' } as const;
  expect(commands(done)).toEqual(['pawl diff 7k2m', 'pawl land 7k2m']);
  expect(commands({ ...done, verification: 'overridden' })).toEqual([
    'pawl diff 7k2m',
    'pawl land 7k2m --no-reverify',
  ]);
});

test('a run that recorded no work has nothing to land', () => {
  const accepted = { status: 'complete', verification: 'overridden', head: null } as const;
  expect(commands(accepted)).toEqual(['pawl show 7k2m']);
});
