/** Goal: nothing leaves the machine before it was said what would, and somebody said yes. */
import { expect, test } from 'vitest';
import { exampleView } from '../../test/support/example-run.ts';
import { typed } from '../../test/support/scripted-cli.ts';
import { scriptedClient } from '../../test/support/scripted-client.ts';

const done = () =>
  scriptedClient([exampleView({ status: 'complete', phase: null, verification: 'passed' })]);
const verbs = (client: ReturnType<typeof done>) => client.calls.map(({ verb }) => verb);
const pushes = 'pawl/fix-date-parsing-7k2m at 9999999 to origin (git@example.com:me/dates.git)';

test('--pr in a pipe pushes nothing without --yes, and says what it would push', async () => {
  const client = done();
  const { exit, err } = await typed(['land', '7k2m', '--pr'], { client });
  expect(exit).toBe(2);
  expect(err).toContain(`it would push ${pushes}`);
  expect(err).toContain('next         pawl land 7k2m --pr --yes');
  expect(verbs(client)).toEqual(['close']);
});

test.each([['n'], ['']])('on a terminal %j pushes nothing', async (answer) => {
  const client = done();
  const terminal = { isTerminal: true, answers: [answer] };
  const { exit, out } = await typed(['land', '7k2m', '--pr'], { client, terminal });
  expect(exit).toBe(2);
  expect(out).toContain(`will push  ${pushes}`);
  expect(verbs(client)).toEqual(['close']);
});

test('told to, it pushes, and names the pull request', async () => {
  const client = done();
  const terminal = { isTerminal: true, answers: ['y'] };
  const { exit, out } = await typed(['land', '7k2m', '--pr'], { client, terminal });
  expect(exit).toBe(0);
  expect(out).toContain('next       https://example.com/me/dates/pull/3');
  expect(client.calls[0]?.details[0]).toMatchObject({ method: 'pr', reverify: true, keep: false });
  const json = await typed(['land', '7k2m', '--pr', '--yes', '--json'], { client: done() });
  expect(JSON.parse(json.out)).toMatchObject({
    schema: 'pawl.run/1',
    pr: { url: 'https://example.com/me/dates/pull/3' },
  });
});

test('--keep goes along with a landing; two ways at once are refused', async () => {
  const client = done();
  await typed(['land', '7k2m', '--keep', '--ff'], { client });
  expect(client.calls[0]?.details[0]).toMatchObject({ method: 'ff', keep: true });
  const { err } = await typed(['land', '7k2m', '--pr', '--merge'], { client: done() });
  expect(err).toContain('--merge and --pr are both given');
});

const refusedAs = async (refusal: object) => {
  const client = { ...done(), land: async () => ({ ok: false, ...refusal }) as never };
  return await typed(['land', '7k2m'], { client });
};

test('a landing that is refused is told as the page promises (UX 5.2)', async () => {
  const summary = 'npm test exit 1 · 1 failed, 119 passed';
  const failed = await refusedAs({ reason: 'check_failed', detail: summary, moved: 4 });
  expect(failed.err).toBe(
    `error[land_refused]: main moved 4 commits; merged result fails npm test (1 failed). Nothing was changed.
  next         pawl retry 7k2m --base main
`,
  );
  const bare = await refusedAs({ reason: 'check_failed', detail: 'make exit 2', moved: 1 });
  expect(bare.err).toContain('main moved 1 commit; merged result fails make (exit 2). Nothing');
  const forward = await refusedAs({ reason: 'not_ff', detail: 'x', moved: 1 });
  expect(forward.err).toContain(
    'main moved 1 commit; main cannot be moved to it without a merge. Nothing was changed.',
  );
  const dirty = { reason: 'dirty_target', detail: '.env', moved: 0 };
  expect((await refusedAs({ ...dirty, hindrance: 'in_the_way' })).err).toBe(
    `error[land_refused]: in the way: .env. Nothing was changed.
  next         move or remove what lies there (git ignores it or does not track it), then  pawl land 7k2m
`,
  );
  expect((await refusedAs({ ...dirty, hindrance: 'unfinished' })).err).toContain('finish or abort');
  expect((await refusedAs({ ...dirty, hindrance: 'changed' })).err).toContain('commit or stash');
  const conflict = await refusedAs({ reason: 'conflict', detail: 'a.ts\nb.ts', moved: 2 });
  expect(conflict.err).toContain('main moved 2 commits; merging conflicts in a.ts, b.ts. Nothing');
});

test('work in the folder itself has no branch to land, and that is said', async () => {
  const client = scriptedClient([exampleView({ status: 'complete', phase: null, branch: null })]);
  const { exit, err } = await typed(['land', '7k2m'], { client, terminal: { isTerminal: true } });
  expect(exit).not.toBe(0);
  expect(err).toContain('worked in the folder itself, where its work lies');
  expect(verbs(client)).toEqual(['close']);
});
