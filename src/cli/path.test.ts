import { expect, test } from 'vitest';
import { exampleView } from '../../test/support/example-run.ts';
import { typed } from '../../test/support/scripted-cli.ts';
import { scriptedClient } from '../../test/support/scripted-client.ts';

const worker = { id: 'w-1', name: 'box' };

test('of a tree on a worker it is said where it lies, and no path is printed', async () => {
  const client = scriptedClient([exampleView({ worker })]);
  const bare = await typed(['path', '7k2m'], { client });
  expect([bare.exit, bare.out]).toEqual([1, '']);
  expect(bare.err).toContain('the worktree of 7k2m lies on worker box');
  const end = { exit: 0, signal: null, rung: 'x', proof: 'kernel', lastLine: null } as const;
  const directory = '/home/w/.local/state/pawl/worker/worktrees/p/fix-7k2m';
  client.emit(1, {
    ...{ type: 'job.dispatched', execution: '7k2m.2', n: 2, attempt: 1, why: 'first' },
    ...{ point: { job: 'execute', session: 'fresh', tree: 'same', commit: null } },
    ...{ tries: 0, parseRetries: 0, at: 1 },
  } as never);
  client.emit(2, {
    ...{ type: 'turn.ended', attempt: 1, commit: null, equalsBase: false, filesChanged: 1 },
    ...{ end: { ...end, directory }, sessionId: null, journal: null, at: 2 },
  } as never);
  const { err } = await typed(['path', '7k2m'], { client });
  expect(err).toContain(`box (w-1): ${directory}`);
});

test('of a tree on this machine its path is printed', async () => {
  const { exit, out } = await typed(['path', '7k2m']);
  expect([exit, out.trim().startsWith('/')]).toEqual([0, true]);
});
