import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { put, requestFor, rig, runNumber } from '../../test/support/git-rig.ts';
import {
  checkoutHash,
  r0Plain,
  r1Submodule,
  r2OddNames,
  r3Hooks,
  r4Develop,
  r5Dirty,
  r6Detached,
  r7Bare,
  r7Empty,
  r7NotGit,
  runGit,
} from '../../test/support/repositories.ts';
import { canMount, fill, mount, unmount } from '../../test/support/small-disk.ts';

vi.setConfig({ testTimeout: 60_000 });

test('a tree lies outside the repository on a branch of its own, and is entered again (L-G8, L-G28)', async () => {
  const { folder, home, workspace } = rig();
  const fixture = r0Plain(folder);
  const before = checkoutHash(fixture.root);
  const tree = await workspace.openTree(requestFor(fixture));
  expect(tree).toMatchObject({ branch: 'pawl/fix-add-abcd', created: true });
  expect(tree.directory).toBe(join(home, 'worktrees/r0/fix-add-abcd'));
  expect(runGit(tree.directory, 'symbolic-ref', 'HEAD')).toBe('refs/heads/pawl/fix-add-abcd');
  expect(runGit(tree.directory, 'status', '--porcelain')).toBe('');
  expect(await workspace.locate(fixture.root, 'pawl/fix-add-abcd')).toBe(tree.directory);
  expect(await workspace.openTree(requestFor(fixture))).toEqual({ ...tree, created: false });
  expect(checkoutHash(fixture.root)).toBe(before);
});

test('the tree is cut from the commit that was named, detached or not (L-G5, L-G6, L-G9)', async () => {
  const { folder, workspace } = rig();
  const develop = r4Develop(folder);
  const tree = await workspace.openTree(requestFor(develop));
  expect(readFileSync(join(tree.directory, 'b.txt'), 'utf8')).toBe('ours\n');
  expect(await workspace.inspect(develop.root)).toMatchObject({
    branch: 'develop',
    upstream: { name: 'origin/develop', ahead: 1, behind: 2 },
  });
  const detached = r6Detached(folder);
  expect(await workspace.inspect(detached.root)).toMatchObject({ branch: null });
  for (const nowhere of ['/nowhere/at/all', join(develop.root, 'src/add.mjs')]) {
    await expect(workspace.inspect(nowhere)).rejects.toThrow(`there is no folder ${nowhere}`);
  }
  const second = await workspace.openTree(requestFor(detached, runNumber(2)));
  expect(existsSync(join(second.directory, 'second.txt'))).toBe(false);
  expect(runGit(second.directory, 'symbolic-ref', 'HEAD')).toBe('refs/heads/pawl/fix-add-r2xx');
});

test('a dirty checkout stays dirty and the tree is clean (L-G30, L-C5)', async () => {
  const { folder, workspace } = rig();
  const fixture = r5Dirty(folder);
  const before = checkoutHash(fixture.root);
  const tree = await workspace.openTree(requestFor(fixture));
  expect(readFileSync(join(tree.directory, 'staged.txt'), 'utf8')).toBe('before\n');
  expect(existsSync(join(tree.directory, 'notes'))).toBe(false);
  expect(checkoutHash(fixture.root)).toBe(before);
});

test('eight trees at once all come to be, each its own (L-G10, L-G12)', async () => {
  const { folder, workspace } = rig();
  const fixture = r0Plain(folder);
  const trees = await Promise.all(
    Array.from({ length: 8 }, (_, n) => workspace.openTree(requestFor(fixture, runNumber(n)))),
  );
  expect(new Set(trees.map(({ directory }) => directory)).size).toBe(8);
  expect(new Set(trees.map(({ branch }) => branch)).size).toBe(8);
});

test('two calls for one run get one tree (L-C10)', async () => {
  const { folder, workspace } = rig();
  const fixture = r0Plain(folder);
  const trees = await Promise.all([1, 2, 3].map(() => workspace.openTree(requestFor(fixture))));
  expect(new Set(trees.map(({ directory }) => directory)).size).toBe(1);
  expect(trees.filter(({ created }) => created)).toHaveLength(1);
});

test('hooks of the repository do not run (L-G15, L-D17)', async () => {
  const { folder, workspace } = rig();
  const fixture = r3Hooks(folder);
  const tree = await workspace.openTree(requestFor(fixture));
  put(tree.directory, 'src/add.mjs', 'export const add = (a, b) => a + b;\n');
  expect((await workspace.snapshot(tree, 'attempt 1')).filesChanged).toBe(1);
  expect(existsSync(join(folder, 'hooks.ran'))).toBe(false);
});

test('a path or a branch that is there already is left alone (L-G9, L-C6)', async () => {
  const { folder, home, workspace } = rig();
  const fixture = r0Plain(folder);
  put(join(home, 'worktrees/r0/fix-add-abcd'), 'mine.txt', 'mine');
  const base = fixture.git('rev-parse', 'HEAD');
  fixture.write('x.txt', 'x');
  const other = fixture.commit('other');
  fixture.git('branch', 'pawl/fix-add-abcd', other);
  const tree = await workspace.openTree(requestFor(fixture, { base: base as never }));
  expect(tree.directory).toBe(join(home, 'worktrees/r0/fix-add-abcd-2'));
  expect(tree.branch).toBe('pawl/fix-add-abcd-2');
  expect(fixture.git('rev-parse', 'pawl/fix-add-abcd')).toBe(other);
  expect(readFileSync(join(home, 'worktrees/r0/fix-add-abcd/mine.txt'), 'utf8')).toBe('mine');
});

test('a branch named pawl does not stand in the way', async () => {
  const { folder, workspace } = rig();
  const fixture = r0Plain(folder);
  fixture.git('branch', 'pawl');
  expect((await workspace.openTree(requestFor(fixture))).branch).toBe('pawl-fix-add-abcd');
});

test('a full disk is named with the space held and what frees it; no branch is left (L-O8, L-G12)', async () => {
  const { folder } = rig();
  const bin = join(folder, 'bin');
  const real = runGit(folder, '--exec-path');
  mkdirSync(bin);
  const fail = 'echo "fatal: cannot write: No space left on device" >&2; exit 128';
  const script = `#!/bin/sh\ncase " $* " in *" reset "*) ${fail};; esac\nexec ${join(real, 'git')} "$@"\n`;
  writeFileSync(join(bin, 'git'), script);
  chmodSync(join(bin, 'git'), 0o755);
  const { workspace, home, folder: own } = rig({ path: `${bin}:${process.env['PATH']}` });
  const fixture = r0Plain(own);
  const before = fixture.git('for-each-ref');
  await expect(workspace.openTree(requestFor(fixture))).rejects.toMatchObject({
    code: 'disk_full',
    details: { next: 'pawl prune', so: expect.stringContaining('work trees of pawl hold') },
  });
  expect(fixture.git('for-each-ref')).toBe(before);
  expect(fixture.git('worktree', 'list').split('\n')).toHaveLength(1);
  expect(existsSync(join(home, 'worktrees/r0/fix-add-abcd'))).toBe(false);
});

test.runIf(canMount())(
  'a full disk is told by the disk where git does not tell it (L-O8)',
  async () => {
    const { folder, workspace } = rig();
    const small = join(folder, 'small');
    if (!mount(small)) throw new Error('nothing was mounted');
    try {
      const fixture = r0Plain(small);
      fill(small);
      const opened = workspace.openTree(requestFor(fixture));
      await expect(opened).rejects.toMatchObject({ code: 'disk_full' });
    } finally {
      unmount(small);
    }
  },
);

test('what a maker that died left is cleared away and made anew', async () => {
  const { folder, home, workspace } = rig();
  const fixture = r0Plain(folder);
  const first = await workspace.openTree(requestFor(fixture));
  const record = join(home, 'worktrees/r0/fix-add-abcd.tree.json');
  const made: object = JSON.parse(readFileSync(record, 'utf8'));
  writeFileSync(record, JSON.stringify({ ...made, state: 'making' }));
  rmSync(join(first.directory, 'src'), { recursive: true });
  const again = await workspace.openTree(requestFor(fixture));
  expect(again).toMatchObject({ directory: first.directory, created: true });
  expect(existsSync(join(again.directory, 'src/add.mjs'))).toBe(true);
});

test('a tree that vanished is said, and nothing else is entered (L-C4)', async () => {
  const { folder, workspace } = rig();
  const fixture = r5Dirty(folder);
  const tree = await workspace.openTree(requestFor(fixture));
  const before = checkoutHash(fixture.root);
  rmSync(tree.directory, { recursive: true });
  await expect(workspace.openTree(requestFor(fixture))).rejects.toMatchObject({
    code: 'workspace_lost',
  });
  expect(checkoutHash(fixture.root)).toBe(before);
});

test('ignored files of the copy list come along, by content and within the tree (L-G17)', async () => {
  const { folder, workspace } = rig();
  const fixture = r0Plain(folder);
  fixture.write('.env', 'TOKEN=1\n');
  fixture.write('node_modules/a/index.js', 'x');
  fixture.write('packages/a/.env', 'TOKEN=2\n');
  const tree = await workspace.openTree(requestFor(fixture, { copy: ['**/.env'] }));
  expect(readFileSync(join(tree.directory, '.env'), 'utf8')).toBe('TOKEN=1\n');
  expect(readFileSync(join(tree.directory, 'packages/a/.env'), 'utf8')).toBe('TOKEN=2\n');
  expect(existsSync(join(tree.directory, 'node_modules'))).toBe(false);
  expect(runGit(tree.directory, 'status', '--porcelain')).toBe('');
});

test('submodules are filled from the checkout, also with extensions.worktreeConfig (L-G1, L-G4)', async () => {
  const { folder, workspace } = rig();
  const fixture = r1Submodule(folder, { unreachable: false });
  fixture.git('config', 'extensions.worktreeConfig', 'true');
  const config = readFileSync(join(fixture.root, '.git/config'), 'utf8');
  const tree = await workspace.openTree(requestFor(fixture));
  expect(readFileSync(join(tree.directory, 'lib/lib.mjs'), 'utf8')).toContain('lib = 1');
  expect(runGit(join(tree.directory, 'lib'), 'rev-parse', '--show-toplevel')).toBe(
    join(tree.directory, 'lib'),
  );
  expect(runGit(tree.directory, 'status', '--porcelain')).toBe('');
  expect(tree.notes).toBeUndefined();
  expect(readFileSync(join(fixture.root, '.git/config'), 'utf8')).toBe(config);
});

test('an unreachable submodule is a note, an error when demanded, nothing when switched off (L-G2)', async () => {
  const { folder, workspace } = rig({ gitconfig: '[protocol "file"]\n\tallow = always\n' });
  const fixture = r1Submodule(folder, { unreachable: true });
  const tree = await workspace.openTree(requestFor(fixture, runNumber(1)));
  expect(tree.notes).toEqual([expect.stringMatching(/^submodule far: /)]);
  expect(existsSync(join(tree.directory, 'lib/lib.mjs'))).toBe(true);
  const branches = fixture.git('for-each-ref', 'refs/heads');
  const demanded = requestFor(fixture, { ...runNumber(2), submodules: 'on' });
  await expect(workspace.openTree(demanded)).rejects.toMatchObject({ code: 'workspace_failed' });
  expect(fixture.git('for-each-ref', 'refs/heads')).toBe(branches);
  const off = await workspace.openTree(requestFor(fixture, { ...runNumber(3), submodules: 'off' }));
  expect(off.notes).toBeUndefined();
  expect(existsSync(join(off.directory, 'lib/lib.mjs'))).toBe(false);
});

test('an address of a local path is cloned only where the user allows it', async () => {
  const refusing = rig();
  const fixture = r1Submodule(refusing.folder, { unreachable: false });
  rmSync(join(fixture.root, 'lib'), { recursive: true });
  rmSync(join(fixture.root, '.git/modules'), { recursive: true });
  const tree = await refusing.workspace.openTree(requestFor(fixture, runNumber(1)));
  expect(tree.notes?.[0]).toMatch(/transport 'file' not allowed/);
  const allowing = rig({ gitconfig: '[protocol "file"]\n\tallow = always\n' });
  const other = await allowing.workspace.openTree(requestFor(fixture, runNumber(2)));
  expect(existsSync(join(other.directory, 'lib/lib.mjs'))).toBe(true);
});

test('a fresh tree shares no ref with the old one, and its work comes back to the branch', async () => {
  const { folder, workspace } = rig();
  const fixture = r0Plain(folder);
  const old = await workspace.openTree(requestFor(fixture));
  put(old.directory, 'a.txt', '1');
  const first = await workspace.snapshot(old, 'attempt 1');
  const fresh = await workspace.openTree(
    requestFor(fixture, { from: first.commit, fresh: 'abcdefghjkmn.2' as never }),
  );
  expect(fresh).toMatchObject({ created: true, branch: old.branch });
  expect(fresh.directory).toBe(`${old.directory}.x2`);
  expect(await workspace.locate(fixture.root, 'pawl/fix-add-abcd')).toBe(fresh.directory);
  put(old.directory, 'zombie.txt', 'z');
  runGit(old.directory, 'add', '-A');
  runGit(old.directory, 'commit', '-qm', 'by a zombie');
  const zombie = runGit(old.directory, 'rev-parse', 'HEAD');
  put(fresh.directory, 'a.txt', '2');
  const second = await workspace.snapshot(fresh, 'attempt 1, again');
  expect(fixture.git('rev-parse', 'pawl/fix-add-abcd')).toBe(second.commit);
  expect(fixture.git('show', 'pawl/fix-add-abcd:a.txt')).toBe('2');
  expect(fixture.git('ls-tree', '--name-only', 'pawl/fix-add-abcd')).not.toContain('zombie');
  expect(fixture.git('for-each-ref', '--format=%(objectname)', 'refs/pawl/lost')).toBe(zombie);
  expect(await workspace.openTree(requestFor(fixture))).toEqual({ ...fresh, created: false });
});

test('a quarantined tree is kept as it lies there and entered by nobody again (XP-11, D-30)', async () => {
  const { folder, workspace } = rig();
  const fixture = r0Plain(folder);
  const lost = await workspace.openTree(requestFor(fixture));
  put(lost.directory, 'zombie.txt', 'z');
  expect(await workspace.quarantine(lost.directory, 'abcdefghjkmn.1' as never)).toBe(true);
  const next = await workspace.openTree(requestFor(fixture));
  expect(next).toMatchObject({ created: true, branch: lost.branch });
  expect(next.directory).not.toBe(lost.directory);
  expect(existsSync(join(next.directory, 'zombie.txt'))).toBe(false);
  expect(existsSync(join(lost.directory, 'zombie.txt'))).toBe(true);
  expect(await workspace.openTree(requestFor(fixture))).toEqual({ ...next, created: false });
  expect(await workspace.quarantine(folder, 'abcdefghjkmn.1' as never)).toBe(false);
});

test('linked work trees, bare and empty repositories and plain folders (L-G9)', async () => {
  const { folder, workspace } = rig();
  const fixture = r0Plain(folder);
  fixture.git('worktree', 'add', '-q', '-b', 'side', join(folder, 'side'));
  const side = join(folder, 'side');
  expect(await workspace.inspect(join(side, 'src'))).toMatchObject({
    root: side,
    linkedWorktree: true,
    branch: 'side',
  });
  const tree = await workspace.openTree({ ...requestFor(fixture), root: side });
  expect(existsSync(join(tree.directory, 'src/add.mjs'))).toBe(true);

  const bare = r7Bare(folder);
  expect(await workspace.inspect(bare.root)).toMatchObject({ git: true, bare: true, dirty: [] });
  const ofBare = await workspace.openTree(requestFor(bare, runNumber(2)));
  expect(existsSync(join(ofBare.directory, 'src/add.mjs'))).toBe(true);

  const empty = r7Empty(folder);
  expect(await workspace.inspect(empty.root)).toMatchObject({ head: null, branch: 'main' });
  const ofEmpty = {
    ...requestFor(fixture, runNumber(3)),
    root: empty.root,
    from: null,
    base: null,
  };
  await expect(workspace.openTree(ofEmpty)).rejects.toMatchObject({ code: 'workspace_failed' });

  const plain = r7NotGit(folder);
  expect(await workspace.inspect(plain)).toEqual({ git: false, root: plain });
  const none = { ...ofEmpty, root: plain, isolation: 'none' as const };
  expect(await workspace.openTree(none)).toMatchObject({ directory: plain, branch: null });
  await expect(workspace.openTree({ ...none, isolation: 'worktree' })).rejects.toMatchObject({
    code: 'workspace_failed',
  });
});

test('pawl.yaml and .pawl never make a checkout dirty', async () => {
  const { folder, workspace } = rig();
  const fixture = r2OddNames(folder);
  fixture.write('pawl.yaml', 'x');
  fixture.write('.pawl/prompts/a.md', 'x');
  expect(await workspace.inspect(fixture.root)).toMatchObject({ dirty: [] });
  fixture.write('日本語/x.md', 'changed');
  fixture.write('q"uote.txt', 'changed');
  expect(await workspace.inspect(fixture.root)).toMatchObject({
    dirty: ['q"uote.txt', '日本語/x.md'],
  });
});
