/** Goal: who asks for work that has no commit is told where it is (UX 5.1). */
import { expect, test } from 'vitest';
import { exampleView } from '../../test/support/example-run.ts';
import { typed } from '../../test/support/scripted-cli.ts';
import { scriptedClient } from '../../test/support/scripted-client.ts';
import type { RunView } from '../ports/client.ts';

const nothing = { head: null, attempts: [], execution: null } as const;
const lost = {
  status: 'needs_operator',
  phase: null,
  disposition: 'escalated',
  reason: 'workspace_lost',
  options: [{ command: 'pawl resume 7k2m --fresh', effect: 'a new tree' }],
} as const;
const ref = 'refs/pawl/lost/7k2mab34cd56-66666666';

async function shown(change: Partial<RunView>, kept: readonly string[] = []) {
  const client = scriptedClient([exampleView({ ...nothing, ...change })]);
  const { exit, out } = await typed(['diff', '7k2m'], { client, kept });
  const { out: json } = await typed(['diff', '7k2m', '--json'], { client, kept });
  return { exit, lines: out.trimEnd().split('\n'), json: JSON.parse(json) };
}

test('files of a lost tree are where they are kept, with the command that brings them back', async () => {
  const { exit, lines, json } = await shown(lost, [ref]);
  expect({ exit, lines }).toEqual({
    exit: 0,
    lines: [
      `7k2m has recorded no work; what its tree held is kept as ${ref}`,
      `  next      git branch rescued ${ref}   ·   git diff 3333333 ${ref}`,
    ],
  });
  expect(json).toMatchObject({ schema: 'pawl.diff/1', to: null, work: 'kept', ref, files: [] });
});

test('a tree of which nothing could be kept is called lost', async () => {
  const { lines, json } = await shown(lost);
  expect(lines).toEqual([
    '7k2m lost its work tree before anything of it was recorded',
    '  next      pawl resume 7k2m --fresh',
  ]);
  expect(json).toMatchObject({ work: 'lost', ref: null });
});

test('in the folder itself nothing is recorded; an ended run has none, a working one none yet', async () => {
  const inPlace = await shown({ branch: null });
  expect(inPlace.lines[0]).toBe('7k2m works in /home/me/dates itself: nothing is recorded');
  expect(inPlace.lines[1]).toContain('git diff 3333333');
  const over = await shown({ status: 'cancelled', phase: null });
  expect(over.lines[0]).toBe('7k2m has recorded no work');
  const yet = await shown({});
  expect(yet.lines).toEqual(['7k2m has recorded no work yet', '  next      pawl watch 7k2m']);
  expect(yet.json.work).toBe('none');
});

test('a recorded commit that is no longer there is named; it is not called no change', async () => {
  const { exit, err, out } = await typed(['diff', '7k2m'], { kept: [ref], isCommitGone: true });
  expect({ exit, out }).toEqual({ exit: 1, out: '' });
  expect(err).toContain('error[workspace_lost]: 9999999 of 7k2m is not in /home/me/dates');
  expect(err).toContain(`git -C /home/me/dates branch rescued ${ref}`);
  const lostToo = await typed(['diff', '7k2m'], { isCommitGone: true });
  expect(lostToo.err).toContain('nothing of it is kept under a ref');
});
