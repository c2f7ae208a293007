import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { asCommit, put, requestFor, rig, runNumber } from '../../test/support/git-rig.ts';
import { checkoutHash, r0Plain, r5Dirty, runGit } from '../../test/support/repositories.ts';
import type { ExecutionId } from '../ports/words.ts';
import type { PruneItem, PruneSubject } from '../ports/workspace.ts';

vi.setConfig({ testTimeout: 60_000 });

const subject = (n: number, more: Partial<PruneSubject> = {}): PruneSubject => ({
  ...runNumber(n),
  name: 'fix-add',
  ended: true,
  landed: false,
  endedAt: 0,
  ...more,
});

async function opened(runs = [1], make = r0Plain) {
  const machine = rig();
  const fixture = make(machine.folder);
  const trees = await Promise.all(
    runs.map((n) => machine.workspace.openTree(requestFor(fixture, runNumber(n)))),
  );
  const [tree] = trees;
  if (tree === undefined) throw new Error('no tree');
  return { ...machine, fixture, trees, tree };
}
function only(items: readonly PruneItem[]): PruneItem {
  const [item, ...more] = items;
  if (item === undefined || more.length > 0) throw new Error(`${items.length} items`);
  return item;
}

test('only ended runs are offered, each with its owner, its size and why it is safe (L-G26)', async () => {
  const { fixture, workspace } = await opened([1, 2, 3]);
  const items = await workspace.prunable(fixture.root, [subject(1), subject(2, { ended: false })]);
  expect(only(items)).toMatchObject({
    run: runNumber(1).run,
    root: fixture.root,
    branch: null,
    safeBecause: expect.stringContaining('its commits stay on pawl/fix-add-r1xx'),
  });
  expect(only(items).bytes).toBeGreaterThan(0);
});

test('commits that have not landed keep their branch, dirty work a ref (L-C3, L-C9, L-G29)', async () => {
  const { fixture, tree, workspace } = await opened([1], r5Dirty);
  put(tree.directory, 'a.txt', 'a');
  const { commit } = await workspace.snapshot(tree, 'attempt 1');
  put(tree.directory, 'b.txt', 'b');
  const before = checkoutHash(fixture.root);
  await workspace.prune(only(await workspace.prunable(fixture.root, [subject(1)])));
  expect(existsSync(tree.directory)).toBe(false);
  expect(fixture.git('worktree', 'list').split('\n')).toHaveLength(1);
  expect(fixture.git('rev-parse', 'pawl/fix-add-r1xx')).toBe(commit);
  const [lost] = fixture.git('for-each-ref', '--format=%(refname)', 'refs/pawl/lost').split('\n');
  expect(fixture.git('show', `${lost}:b.txt`)).toBe('b');
  expect(checkoutHash(fixture.root)).toBe(before);
  const again = await workspace.openTree(
    requestFor(fixture, { ...runNumber(1), from: asCommit(commit ?? '') }),
  );
  expect(again).toMatchObject({ created: true, branch: 'pawl/fix-add-r1xx' });
});

test('a landed run loses its branch too; the commit of its receipt stays', async () => {
  const { fixture, tree, workspace } = await opened();
  put(tree.directory, 'a.txt', 'a');
  const { commit } = await workspace.snapshot(tree, 'attempt 1');
  const landed = await workspace.land({
    root: fixture.root,
    run: runNumber(1).run,
    branch: tree.branch ?? '',
    head: asCommit(commit ?? ''),
    base: asCommit(tree.base ?? ''),
    into: 'main',
    method: 'squash',
    message: 'a',
    verify: null,
  });
  expect(landed.ok).toBe(true);
  const item = only(await workspace.prunable(fixture.root, [subject(1)]));
  expect(item).toMatchObject({
    branch: 'pawl/fix-add-r1xx',
    safeBecause: expect.stringMatching(/^landed in main as [0-9a-f]{7}$/),
  });
  await workspace.prune(item);
  expect(fixture.git('for-each-ref', 'refs/heads/pawl')).toBe('');
  fixture.git('reflog', 'expire', '--expire=now', '--all');
  fixture.git('gc', '-q', '--prune=now');
  expect(fixture.git('cat-file', '-t', commit ?? '')).toBe('commit');
});

test('a branch that went on after it landed is kept (L-C3)', async () => {
  const { fixture, tree, workspace } = await opened();
  put(tree.directory, 'a.txt', 'a');
  await workspace.snapshot(tree, 'attempt 1');
  runGit(tree.directory, 'commit', '-q', '--allow-empty', '-m', 'later');
  const item = only(await workspace.prunable(fixture.root, [subject(1, { landed: true })]));
  expect(item.branch).toBeNull();
  await workspace.prune({ ...item, branch: 'pawl/fix-add-r1xx' });
  expect(fixture.git('log', '-1', '--format=%s', 'pawl/fix-add-r1xx')).toBe('later');
});

test('fifty ended runs are freed (L-G25)', async () => {
  const runs = Array.from({ length: 50 }, (_, n) => n);
  const { fixture, workspace, home } = await opened(runs);
  const items = await workspace.prunable(
    fixture.root,
    runs.map((n) => subject(n)),
  );
  expect(items).toHaveLength(50);
  await Promise.all(items.map((item) => workspace.prune(item)));
  expect(readdirSync(join(home, 'worktrees/r0'))).toEqual([]);
  expect(readdirSync(join(home, 'trash'))).toEqual([]);
  expect(fixture.git('worktree', 'list').split('\n')).toHaveLength(1);
});

test('a tree whose repository is gone is saved as a bundle first (L-G27)', async () => {
  const { fixture, tree, workspace, home } = await opened();
  put(tree.directory, 'a.txt', 'only here');
  rmSync(fixture.root, { recursive: true });
  const item = only(await workspace.prunable(fixture.root, [subject(1)]));
  expect(item.safeBecause).toContain('is gone');
  await workspace.prune(item);
  expect(existsSync(tree.directory)).toBe(false);
  const bundle = join(home, 'lost/fix-add-r1xx.bundle');
  runGit(home, 'clone', '-q', bundle, 'saved');
  expect(runGit(join(home, 'saved'), 'show', 'HEAD:a.txt')).toBe('only here');
});

test('a folder without write permission goes all the same, or it is said (L-C6)', async () => {
  const { fixture, tree, workspace } = await opened();
  put(tree.directory, 'deep/er/x.txt', 'x');
  chmodSync(join(tree.directory, 'deep/er'), 0o500);
  await workspace.prune(only(await workspace.prunable(fixture.root, [subject(1)])));
  expect(existsSync(tree.directory)).toBe(false);
});

test('a tree that is gone already is only forgotten', async () => {
  const { fixture, tree, workspace } = await opened();
  rmSync(tree.directory, { recursive: true });
  const item = only(await workspace.prunable(fixture.root, [subject(1)]));
  expect(item.safeBecause).toBe('its folder is gone already');
  await workspace.prune(item);
  expect(fixture.git('worktree', 'list').split('\n')).toHaveLength(1);
  expect(await workspace.prunable(fixture.root, [subject(1)])).toEqual([]);
});

test('nothing that pawl did not make is removed', async () => {
  const { fixture, folder, home, workspace } = await opened();
  mkdirSync(join(folder, 'precious'));
  const item = only(await workspace.prunable(fixture.root, [subject(1)]));
  for (const path of [join(folder, 'precious'), fixture.root, home, join(home, 'check-trees')]) {
    await expect(workspace.prune({ ...item, path })).rejects.toMatchObject({
      code: 'workspace_failed',
    });
  }
  expect(existsSync(join(folder, 'precious'))).toBe(true);
});

test.each([
  ['lost its .git', (directory: string) => rmSync(join(directory, '.git'))],
  [
    'was bent to the checkout',
    (directory: string, root: string) =>
      writeFileSync(join(directory, '.git'), `gitdir: ${join(root, '.git')}\n`),
  ],
])('the files of a tree that %s are kept under a ref first', async (_what, spoil) => {
  const { fixture, tree, workspace } = await opened();
  put(tree.directory, 'a.txt', 'only here');
  spoil(tree.directory, fixture.root);
  const before = checkoutHash(fixture.root);
  await workspace.prune(only(await workspace.prunable(fixture.root, [subject(1)])));
  expect(existsSync(tree.directory)).toBe(false);
  const lost = fixture.git('for-each-ref', '--format=%(refname)', 'refs/pawl/lost');
  expect(fixture.git('show', `${lost}:a.txt`)).toBe('only here');
  expect(checkoutHash(fixture.root)).toBe(before);
});

test('a link in the place of a tree is removed, not what it points to', async () => {
  const { fixture, tree, workspace } = await opened();
  rmSync(tree.directory, { recursive: true });
  symlinkSync(fixture.root, tree.directory);
  const before = checkoutHash(fixture.root);
  await workspace.prune(only(await workspace.prunable(fixture.root, [subject(1)])));
  expect(existsSync(tree.directory)).toBe(false);
  expect(checkoutHash(fixture.root)).toBe(before);
});

test('refs of work from workers go with their run, and no commit with them', async () => {
  const { fixture, tree, workspace } = await opened([1]);
  put(tree.directory, 'a.txt', 'a');
  const { commit } = await workspace.snapshot(tree, 'attempt 1');
  const { run } = runNumber(1);
  fixture.git('update-ref', `refs/pawl/incoming/${run}.2`, commit ?? '');
  const stray = fixture.git('commit-tree', '-m', 'held by nothing else', `${commit}^{tree}`);
  fixture.git('update-ref', `refs/pawl/incoming/${run}.4`, stray);
  fixture.git('update-ref', `refs/pawl/incoming/${runNumber(2).run}.2`, commit ?? '');
  const offered = async (ended: boolean) =>
    (
      await workspace.prunable(fixture.root, [subject(1, { ended }), subject(2, { ended: false })])
    ).filter(({ path }) => path.startsWith('refs/'));
  expect(await offered(false)).toEqual([]);
  const item = only(await offered(true));
  expect(item).toMatchObject({ run, path: `refs/pawl/incoming/${run}.*`, bytes: 0 });
  await workspace.prune(item);
  const left = fixture.git('for-each-ref', '--format=%(refname)', 'refs/pawl/incoming');
  expect(left.split('\n')).toEqual(
    [`refs/pawl/incoming/${runNumber(2).run}.2`, `refs/pawl/incoming/${run}.4`].sort(),
  );
  expect(fixture.git('rev-parse', `refs/pawl/run/${run}`)).toBe(commit);
  expect(await offered(true)).toEqual([]);
});

test('what the end of its lane has kept is not kept once more by prune (L-G29)', async () => {
  const { fixture, tree, workspace } = await opened([1], r0Plain);
  put(tree.directory, 'b.txt', 'b');
  const { run } = runNumber(1);
  await workspace.salvage(tree, `${run}.2` as ExecutionId);
  const refs = () => fixture.git('for-each-ref', '--format=%(refname)', 'refs/pawl/lost');
  expect(refs()).toBe(`refs/pawl/lost/${run}.2`);
  await workspace.prune(only(await workspace.prunable(fixture.root, [subject(1)])));
  expect(existsSync(tree.directory)).toBe(false);
  expect(refs()).toBe(`refs/pawl/lost/${run}.2`);
});

test('what came after the end of a lane is kept beside what it left (L-G29)', async () => {
  const { fixture, tree, workspace } = await opened([1], r0Plain);
  put(tree.directory, 'b.txt', 'b');
  await workspace.salvage(tree, `${runNumber(1).run}.2` as ExecutionId);
  put(tree.directory, 'c.txt', 'c');
  await workspace.prune(only(await workspace.prunable(fixture.root, [subject(1)])));
  const refs = fixture.git('for-each-ref', '--format=%(refname)', 'refs/pawl/lost').split('\n');
  expect(refs).toHaveLength(2);
});
