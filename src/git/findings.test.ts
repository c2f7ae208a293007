import { execSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { asCommit, put, requestFor, rig } from '../../test/support/git-rig.ts';
import {
  checkoutHash,
  r0Plain,
  r1Submodule,
  r2OddNames,
  r5Dirty,
  r7NotGit,
  runGit,
} from '../../test/support/repositories.ts';
import type { FindingPolicy } from '../ports/workspace.ts';

vi.setConfig({ testTimeout: 60_000 });

const policy = (more: Partial<FindingPolicy> = {}): FindingPolicy => ({
  fileScope: [],
  protected: [],
  allowed: [],
  ...more,
});

async function opened(make = r0Plain) {
  const machine = rig();
  const fixture = make(machine.folder);
  const tree = await machine.workspace.openTree(requestFor(fixture));
  const before = await machine.workspace.fingerprint(fixture.root);
  const find = (more: Partial<FindingPolicy> = {}) =>
    machine.workspace.findings(tree, policy(more), before);
  return { ...machine, fixture, tree, before, find };
}
const named = (kind: string, ...paths: string[]) => ({ kind, paths, more: 0 });

test('drift is found in commits, index, work tree and untracked files (ruling 11, SL-88)', async () => {
  const { tree, find, workspace } = await opened();
  expect(await find({ fileScope: ['src/**'] })).toEqual([]);
  put(tree.directory, 'committed.txt', 'x');
  runGit(tree.directory, 'add', '-A');
  runGit(tree.directory, 'commit', '-qm', 'own');
  put(tree.directory, 'staged.txt', 'x');
  runGit(tree.directory, 'add', 'staged.txt');
  rmSync(join(tree.directory, 'staged.txt'));
  put(tree.directory, 'package.json', '{}');
  put(tree.directory, 'docs/untracked.md', 'x');
  put(tree.directory, 'src/add.mjs', 'in scope');
  put(tree.directory, 'ignored.log', 'x');
  const drift = named('drift', 'committed.txt', 'docs/untracked.md', 'package.json', 'staged.txt');
  const found = await find({ fileScope: ['src/**'] });
  expect(found[0]).toEqual(drift);
  expect(found[1]).toMatchObject({ kind: 'agent_commit', paths: [expect.stringMatching(/ own$/)] });
  await workspace.snapshot(tree, 'attempt 1');
  const after = await find({ fileScope: ['./src/'], allowed: ['docs'] });
  expect(after[0]).toEqual(named('drift', 'committed.txt', 'package.json'));
});

test('changes inside a submodule that are committed nowhere are named, commits there are not', async () => {
  const { tree, find, workspace } = await opened((folder) =>
    r1Submodule(folder, { unreachable: false }),
  );
  expect(await find()).toEqual([]);
  put(tree.directory, 'lib/new.mjs', 'x');
  const inside = named('submodule_uncommitted', 'lib');
  expect(await find()).toEqual([inside]);
  expect(await workspace.snapshot(tree, 'attempt 1')).toMatchObject({ equalsBase: true });
  expect(await find()).toEqual([inside]);
  runGit(join(tree.directory, 'lib'), 'add', '-A');
  runGit(join(tree.directory, 'lib'), 'commit', '-qm', 'own');
  expect(await find()).toEqual([]);
});

test('names of any kind are in scope as they are written (L-G13)', async () => {
  const { tree, find } = await opened(r2OddNames);
  for (const name of ['a b/c.txt', 'ä.txt', '日本語/x.md', 'q"uote.txt', 'x -> y.txt']) {
    put(tree.directory, name, 'changed');
  }
  const fileScope = ['日本語/**', 'a b/**', 'a\u0308.txt', 'q"uote.txt', 'x -> y.txt'];
  expect(await find({ fileScope })).toEqual([]);
  expect(await find({ fileScope: fileScope.slice(1) })).toEqual([named('drift', '日本語/x.md')]);
});

test('links and `..` do not escape the scope', async () => {
  const { tree, fixture, find } = await opened();
  mkdirSync(join(tree.directory, 'src/in'));
  symlinkSync(join(fixture.root, 'src'), join(tree.directory, 'src/out'));
  symlinkSync('../../../../etc', join(tree.directory, 'src/up'));
  symlinkSync('../add.mjs', join(tree.directory, 'src/in/near'));
  const found = await find({ fileScope: ['src/**'] });
  const notes = [
    `src/out is a link out of the tree, to ${join(fixture.root, 'src')}`,
    'src/up is a link out of the tree, to ../../../../etc',
  ];
  expect(found).toEqual([{ ...named('drift', 'src/out', 'src/up'), notes }]);
});

test('protected paths and keys are named, what is beside them is not', async () => {
  const { tree, find, fixture } = await opened();
  const manifest = JSON.parse(fixture.read('package.json')) as Record<string, unknown>;
  const all = ['test/**', '.github/**', 'package.json#scripts'];
  put(tree.directory, 'package.json', JSON.stringify({ ...manifest, dependencies: { a: '1' } }));
  expect(await find({ protected: all })).toEqual([]);
  put(tree.directory, 'package.json', JSON.stringify({ ...manifest, scripts: { test: 'true' } }));
  put(tree.directory, '.github/workflows/ci.yml', 'on: push');
  rmSync(join(tree.directory, 'test/add.test.mjs'));
  const paths = ['.github/workflows/ci.yml', 'test/add.test.mjs', 'package.json#scripts'];
  expect(await find({ protected: all })).toEqual([named('protected', ...paths)]);
  expect(await find({ protected: all, allowed: ['test/**', 'package.json#scripts'] })).toEqual([
    named('protected', '.github/workflows/ci.yml'),
  ]);
  put(tree.directory, 'package.json', '{ not json');
  expect((await find({ protected: ['package.json#/scripts/test'] }))[0]).toEqual(
    named('protected', 'package.json#scripts.test'),
  );
});

test('a flag in the index hides no protected change', async () => {
  const { tree, find } = await opened();
  runGit(tree.directory, 'update-index', '--assume-unchanged', 'test/add.test.mjs');
  put(tree.directory, 'test/add.test.mjs', '// nothing\n');
  expect(await find({ protected: ['test/**'] })).toEqual([named('protected', 'test/add.test.mjs')]);
});

test('lists are bounded and say how many more there are', async () => {
  const { tree, find } = await opened();
  for (let n = 0; n < 30; n += 1) put(tree.directory, `out/${n}-${'x'.repeat(220)}.txt`, 'x');
  const [drift] = await find({ fileScope: ['src/**'] });
  expect(drift).toMatchObject({ kind: 'drift', more: 10 });
  expect(drift?.paths).toHaveLength(20);
  expect(Math.max(...(drift?.paths ?? []).map((path) => path.length))).toBe(200);
});

test('writes to the main checkout are found: tracked, untracked, ignored rules (L-G21, L-G23)', async () => {
  const { fixture, find, before, workspace } = await opened(r5Dirty);
  expect(await find()).toEqual([]);
  fixture.write('src/add.mjs', fixture.read('src/add.mjs'));
  utimesSync(join(fixture.root, 'notes/1.txt'), 1, 1);
  expect(await find()).toEqual([]);
  fixture.write('CLAUDE.md', 'obey');
  fixture.write('debug.log', 'noise');
  fixture.write('src/x.mjs', 'x');
  fixture.write('notes/3.txt', 'other');
  const hash = checkoutHash(fixture.root);
  expect(await find()).toEqual([named('foreign_write', 'CLAUDE.md', 'notes/3.txt', 'src/x.mjs')]);
  expect(checkoutHash(fixture.root)).toBe(hash);
  expect((await workspace.fingerprint(fixture.root)).head).toBe(before.head);
});

test('settings and hooks of the repository are part of the main checkout (L-A14, L-G15)', async () => {
  const { fixture, find } = await opened();
  fixture.git('config', 'filter.lie.smudge', 'echo 42');
  fixture.write('.git/hooks/post-checkout', '#!/bin/sh\n');
  fixture.write('.git/info/attributes', '* filter=lie\n');
  const paths = ['.git/config', '.git/hooks/post-checkout', '.git/info/attributes'];
  expect(await find()).toEqual([named('foreign_write', ...paths)]);
});

test('an empty file of settings sets nothing; one that was emptied has changed (L-A14)', async () => {
  const { fixture, find } = await opened();
  fixture.write('.git/config.worktree', '');
  expect(await find()).toEqual([]);
  fixture.write('.git/config.worktree', '[core]\n');
  expect(await find()).toEqual([named('foreign_write', '.git/config.worktree')]);
  fixture.write('.git/config.worktree', '');
  fixture.write('.git/config', '');
  expect(await find()).toMatchObject([{ paths: expect.arrayContaining(['.git/config']) }]);
});

test('a switched branch and a moved head of the main checkout are found (L-G22)', async () => {
  const { fixture, find, workspace, tree } = await opened();
  fixture.write('moved.txt', 'x');
  const at = () => fixture.git('rev-parse', '--short=7', 'HEAD');
  const first = at();
  fixture.commit('moved');
  const second = at();
  const words = `main: ${first} → ${second}`;
  expect(await find()).toEqual([named('checkout_moved', words, 'moved.txt')]);
  fixture.write('src/add.mjs', 'mine');
  const meanwhile = await workspace.fingerprint(fixture.root);
  fixture.commit('my own change, committed');
  expect(await workspace.findings(tree, policy(), meanwhile)).toEqual([
    named('checkout_moved', `main: ${second} → ${at()}`, 'src/add.mjs'),
  ]);
  fixture.git('switch', '-qc', 'elsewhere');
  expect((await find())[0]?.paths[0]).toBe('main → elsewhere');
});

test('branches, tags and the stash that changed meanwhile are named and kept', async () => {
  const machine = rig();
  const fixture = r0Plain(machine.folder);
  const { git } = fixture;
  const old = git('rev-parse', 'HEAD');
  for (const name of ['other', 'gone', "it's"]) git('branch', name);
  git('tag', 'v1');
  fixture.write('src/add.mjs', 'stashed');
  git('stash', '-q');
  const stash = git('rev-parse', 'refs/stash');
  git('commit', '-q', '--allow-empty', '-m', 'ahead');
  git('pack-refs', '--all');
  const tree = await machine.workspace.openTree(requestFor(fixture));
  const before = await machine.workspace.fingerprint(fixture.root);
  const find = () => machine.workspace.findings(tree, policy(), before);
  git('branch', 'pawl/another-run');
  git('update-ref', 'refs/pawl/run/another', 'HEAD');
  expect(await find()).toEqual([]);
  git('branch', '-f', 'other', 'HEAD');
  git('branch', '-D', 'gone', "it's");
  git('tag', '-d', 'v1');
  git('update-ref', '-d', 'refs/stash');
  git('branch', 'myown');
  const [was, is] = [old.slice(0, 7), git('rev-parse', '--short=7', 'HEAD')];
  const [found] = await find();
  expect(found?.kind).toBe('refs_changed');
  expect(found?.paths).toEqual([
    `branch gone ${was} gone`,
    `branch it's ${was} gone`,
    `branch myown new at ${is}`,
    `branch other ${was} → ${is}`,
    `tag v1 ${was} gone`,
    `stash ${stash.slice(0, 7)} gone`,
  ]);
  for (const command of found?.notes ?? []) {
    if (command !== '') execSync(command, { cwd: fixture.root });
  }
  git('branch', '-D', 'myown');
  expect(await find()).toEqual([]);
  git('update-ref', '-d', 'refs/stash');
  git('reflog', 'expire', '--expire=now', '--all');
  git('gc', '-q', '--prune=now');
  expect(git('cat-file', '-t', stash)).toBe('commit');
});

test('a branch of the checkout that was rewound is named with the way back', async () => {
  const { fixture, find } = await opened();
  const was = fixture.git('rev-parse', 'HEAD');
  const other = fixture.git('commit-tree', '-m', 'other', 'HEAD^{tree}');
  fixture.git('update-ref', 'refs/heads/main', other);
  const found = (await find()).find(({ kind }) => kind === 'refs_changed');
  expect(found?.paths).toEqual([`branch main ${was.slice(0, 7)} → ${other.slice(0, 7)}`]);
  expect(found?.notes).toEqual([`git update-ref refs/heads/main ${was.slice(0, 12)}`]);
});

test('a stash in the main checkout changes its print', async () => {
  const { fixture, workspace, before } = await opened(r5Dirty);
  fixture.git('stash', '-q');
  fixture.git('stash', 'apply', '-q', '--index');
  expect((await workspace.fingerprint(fixture.root)).digest).not.toBe(before.digest);
});

test('without git there is nothing to find, and nothing fails', async () => {
  const { folder, workspace, fixture } = await opened();
  const root = r7NotGit(folder);
  const tree = await workspace.openTree({
    ...requestFor(fixture, { isolation: 'none' }),
    root,
    from: null,
    base: null,
  });
  const before = await workspace.fingerprint(root);
  expect(await workspace.findings(tree, policy({ fileScope: ['x'] }), before)).toEqual([]);
});

test('what was protected goes back to the base, and only that', async () => {
  const { tree, fixture, find, workspace } = await opened();
  const manifest = JSON.parse(fixture.read('package.json')) as Record<string, unknown>;
  const changed = { ...manifest, scripts: { test: 'true' }, dependencies: { a: '1' } };
  put(tree.directory, 'package.json', `${JSON.stringify(changed, null, 2)}\n`);
  put(tree.directory, '.github/workflows/ci.yml', 'on: push');
  put(tree.directory, 'src/add.mjs', 'work\n');
  rmSync(join(tree.directory, 'test'), { recursive: true });
  put(tree.directory, 'test', 'a file where the folder was');
  const entries = ['test/**', '.github/**', 'package.json#scripts'];
  await workspace.restore(tree, entries);
  expect(await find({ protected: entries })).toEqual([]);
  const now = JSON.parse(readFileSync(join(tree.directory, 'package.json'), 'utf8')) as object;
  expect(now).toEqual({ ...changed, scripts: manifest['scripts'] });
  expect(readFileSync(join(tree.directory, 'src/add.mjs'), 'utf8')).toBe('work\n');
  expect(existsSync(join(tree.directory, '.github/workflows/ci.yml'))).toBe(false);
  expect(existsSync(join(tree.directory, 'test/add.test.mjs'))).toBe(true);
});

test('recorded work goes back in a commit of its own, and the tree follows in that alone (L-A10)', async () => {
  const { tree, fixture, find, workspace } = await opened();
  const manifest = JSON.parse(fixture.read('package.json')) as Record<string, unknown>;
  const changed = { ...manifest, scripts: { test: 'true' }, dependencies: { a: '1' } };
  put(tree.directory, 'package.json', `${JSON.stringify(changed, null, 2)}\n`);
  put(tree.directory, '.github/workflows/ci.yml', 'on: push');
  put(tree.directory, 'src/add.mjs', 'work\n');
  rmSync(join(tree.directory, 'test'), { recursive: true });
  const { commit } = await workspace.snapshot(tree, 'attempt 1');
  put(tree.directory, 'later.txt', 'not recorded yet');
  const entries = ['test/**', '.github/**', 'package.json#scripts'];
  const request = { commit: asCommit(commit ?? ''), entries, allowed: [], message: 'back' };
  const done = await workspace.putBack(tree, request);
  expect(done.restored).toContain('package.json#scripts');
  expect(fixture.git('rev-parse', tree.branch ?? '', `${done.commit}^`)).toBe(
    `${done.commit}\n${commit}`,
  );
  const base = asCommit(tree.base ?? '');
  const files = (await workspace.changedFiles(fixture.root, base, done.commit)).map((f) => f.path);
  expect(files).toEqual(['package.json', 'src/add.mjs']);
  expect(JSON.parse(fixture.git('show', `${done.commit}:package.json`))).toEqual({
    ...changed,
    scripts: manifest['scripts'],
  });
  expect(await find({ protected: entries })).toEqual([]);
  expect(runGit(tree.directory, 'status', '--porcelain')).toBe('?? later.txt');
  // Said again after a death in between, it is the same commit; with nothing to do, none.
  expect((await workspace.putBack(tree, request)).commit).toBe(done.commit);
  const again = await workspace.putBack(tree, { ...request, commit: done.commit });
  expect(again).toEqual({ commit: done.commit, restored: [] });
});

test('what lies outside of the scope goes back as well, a link out of it too, and what is allowed stays', async () => {
  const { tree, fixture, find, workspace } = await opened();
  for (const path of ['a.txt', 'docs/b.md', 'docs/kept.md', 'src/add.mjs']) {
    put(tree.directory, path, 'work');
  }
  for (let n = 0; n < 25; n += 1) put(tree.directory, `more/${n}`, 'x');
  symlinkSync(fixture.root, join(tree.directory, 'src/out'));
  symlinkSync('add.mjs', join(tree.directory, 'src/in'));
  const { commit } = await workspace.snapshot(tree, 'attempt 1');
  // What the work is, its recorded commit says; what lies in the tree since then is another thing.
  rmSync(join(tree.directory, 'src/out'));
  const [fileScope, allowed] = [['src/**'], ['docs/kept.md']];
  const request = { commit: asCommit(commit ?? ''), entries: [], fileScope, allowed, message: 'b' };
  const done = await workspace.putBack(tree, request);
  expect(done.restored).toHaveLength(28);
  expect(done.restored).toEqual(expect.arrayContaining(['a.txt', 'docs/b.md', 'src/out']));
  const base = asCommit(tree.base ?? '');
  const files = (await workspace.changedFiles(fixture.root, base, done.commit)).map((f) => f.path);
  expect(files).toEqual(['docs/kept.md', 'src/add.mjs', 'src/in']);
  expect(await find({ fileScope, allowed })).toEqual([]);
  expect(runGit(tree.directory, 'status', '--porcelain')).toBe('');
  const named = { commit: asCommit(commit ?? ''), entries: ['docs/**'], allowed, message: 'b' };
  expect((await workspace.putBack(tree, named)).restored).toEqual(['docs/b.md']);
});

test('restoring does not reach through a link', async () => {
  const { tree, fixture, workspace } = await opened();
  put(tree.directory, 'test/mine.mjs', 'x');
  runGit(tree.directory, 'add', '-A');
  fixture.write('test/mine.mjs', 'the user’s own');
  rmSync(join(tree.directory, 'test'), { recursive: true });
  symlinkSync(join(fixture.root, 'test'), join(tree.directory, 'test'));
  const before = checkoutHash(fixture.root);
  await workspace.restore(tree, ['test/**', 'test']);
  expect(checkoutHash(fixture.root)).toBe(before);
  expect(runGit(tree.directory, 'status', '--porcelain')).toBe('');
});

test('changed files carry status and counts, the patch is bounded', async () => {
  const { tree, fixture, workspace } = await opened();
  runGit(tree.directory, 'mv', 'src/add.mjs', 'src/plus.mjs');
  put(tree.directory, 'image.bin', Buffer.from([0, 1, 2, 0]));
  put(tree.directory, 'long.txt', 'line\n'.repeat(5000));
  rmSync(join(tree.directory, 'test/add.test.mjs'));
  const { commit } = await workspace.snapshot(tree, 'attempt 1');
  const range = [asCommit(tree.base ?? ''), asCommit(commit ?? '')] as const;
  expect(await workspace.changedFiles(fixture.root, ...range)).toEqual([
    { path: 'image.bin', status: 'added', added: null, removed: null },
    { path: 'long.txt', status: 'added', added: 5000, removed: 0 },
    { path: 'src/plus.mjs', status: 'renamed', added: 0, removed: 0 },
    { path: 'test/add.test.mjs', status: 'deleted', added: 0, removed: 4 },
  ]);
  const whole = await workspace.patch(fixture.root, ...range, 1_000_000);
  expect(whole).toContain('rename to src/plus.mjs');
  const cut = await workspace.patch(fixture.root, ...range, 2000);
  expect(cut.length).toBeLessThan(2100);
  expect(cut).toMatch(/… cut after 2000 bytes\n$/);
  expect(await workspace.sameTree(fixture.root, range[0], range[0])).toBe(true);
  expect(await workspace.sameTree(fixture.root, ...range)).toBe(false);
});
