import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { asCommit, put, requestFor, rig } from '../../test/support/git-rig.ts';
import {
  checkoutHash,
  type Fixture,
  fixtureAt,
  oddNames,
  r0Plain,
  r1Submodule,
  r2OddNames,
  r3Hooks,
  r7Bare,
  runGit,
} from '../../test/support/repositories.ts';
import type { CheckTreeRequest } from '../ports/workspace.ts';

vi.setConfig({ testTimeout: 60_000 });

const wanted = (fixture: Fixture, more: Partial<CheckTreeRequest> = {}): CheckTreeRequest => ({
  root: fixture.root,
  commit: asCommit(fixture.git('rev-parse', 'HEAD')),
  keep: [],
  submodules: 'auto',
  slots: 2,
  signal: new AbortController().signal,
  ...more,
});

test('a leased tree is exactly the commit, whatever the last check left in it', async () => {
  const { folder, checks, home } = rig();
  const fixture = r0Plain(folder);
  const before = checkoutHash(fixture.root);
  const refs = fixture.git('for-each-ref');
  const first = await checks.lease(wanted(fixture));
  expect(first.directory.startsWith(join(home, 'check-trees'))).toBe(true);
  put(first.directory, 'src/add.mjs', 'spoiled');
  put(first.directory, 'node_modules/a/index.js', 'prepared');
  put(first.directory, 'coverage/x', 'x');
  put(first.directory, 'cache.log', 'ignored');
  rmSync(join(first.directory, 'test'), { recursive: true });
  symlinkSync(fixture.root, join(first.directory, 'test'));
  await first.release();
  const second = await checks.lease(wanted(fixture, { keep: ['node_modules'] }));
  expect(second.directory).toBe(first.directory);
  expect(readdirSync(second.directory).sort()).toEqual(
    ['.git', '.gitignore', 'node_modules', 'package.json', 'src', 'test'].sort(),
  );
  expect(readFileSync(join(second.directory, 'src/add.mjs'), 'utf8')).toContain('a - b');
  expect(existsSync(join(second.directory, 'test/add.test.mjs'))).toBe(true);
  await second.release();
  expect(checkoutHash(fixture.root)).toBe(before);
  expect(fixture.git('for-each-ref')).toBe(refs);
  expect(fixture.git('worktree', 'list').split('\n')).toHaveLength(1);
});

test('a filter that was planted after the first lease changes no check tree (L-A14)', async () => {
  const { folder, checks } = rig();
  const fixture = r0Plain(folder);
  await (await checks.lease(wanted(fixture, { refresh: true }))).release();
  fixture.git('config', 'filter.lie.smudge', 'echo spoiled');
  const attributes = join(fixture.root, '.git/info/attributes');
  mkdirSync(join(fixture.root, '.git/info'), { recursive: true });
  writeFileSync(attributes, 'src/add.mjs filter=lie\n');
  const content = async (more: Partial<CheckTreeRequest>) => {
    const tree = await checks.lease(wanted(fixture, more));
    const text = readFileSync(join(tree.directory, 'src/add.mjs'), 'utf8');
    rmSync(join(tree.directory, '.git'), { recursive: true });
    await tree.release();
    return text;
  };
  expect(await content({})).toContain('a - b');
  expect(await content({})).toContain('a - b');
  // What the user himself set up is there for the next run.
  expect(await content({ refresh: true })).toBe('spoiled\n');
});

test('kept paths are meant as they are written, at the top only', async () => {
  const { folder, checks } = rig();
  const fixture = r0Plain(folder);
  const first = await checks.lease(wanted(fixture));
  const kept = ['a b [1]', '#x', '!y', 'packages/a/node_modules', 'st*r'];
  const gone = ['packages/b/a b [1]', 'packages/node_modules', 'star', 'a b 1'];
  for (const path of [...kept, ...gone]) put(first.directory, `${path}/f`, 'x');
  await first.release();
  const second = await checks.lease(wanted(fixture, { keep: kept }));
  for (const path of kept) expect(existsSync(join(second.directory, path, 'f')), path).toBe(true);
  for (const path of gone) expect(existsSync(join(second.directory, path)), path).toBe(false);
  await second.release();
});

test('git’s own files that a check has bent are put back before the next lease', async () => {
  const { folder, checks } = rig();
  const fixture = r0Plain(folder);
  fixture.write('untracked.txt', 'mine');
  const before = checkoutHash(fixture.root);
  const first = await checks.lease(wanted(fixture));
  const { directory } = first;
  const stamp = new Date(1_700_000_000_000);
  writeFileSync(join(directory, 'src/add.mjs'), 'export const add = (a, b) => a + b;\n');
  utimesSync(join(directory, 'src/add.mjs'), stamp, stamp);
  runGit(directory, 'update-index', '--assume-unchanged', 'src/add.mjs');
  runGit(directory, 'config', 'core.worktree', fixture.root);
  mkdirSync(join(directory, '.git/info'), { recursive: true });
  writeFileSync(join(directory, '.git/info/attributes'), '* filter=evil\n');
  await first.release();
  const second = await checks.lease(wanted(fixture));
  expect(readFileSync(join(second.directory, 'src/add.mjs'), 'utf8')).toContain('a - b');
  expect(runGit(second.directory, 'rev-parse', '--show-toplevel')).toBe(second.directory);
  expect(existsSync(join(second.directory, '.git/info/attributes'))).toBe(false);
  writeFileSync(join(second.directory, '.git/index.lock'), '');
  rmSync(join(second.directory, '.git/objects'), { recursive: true });
  await second.release();
  const third = await checks.lease(wanted(fixture));
  expect(runGit(third.directory, 'status', '--porcelain')).toBe('');
  await third.release();
  expect(checkoutHash(fixture.root)).toBe(before);
});

test.each([
  ['the repository', '.git', (root: string) => join(root, '.git')],
  ['the tree', '.', (root: string) => root],
  ['a submodule', 'lib', (root: string) => join(root, 'lib')],
  ['a submodule’s repository', 'lib/.git', (root: string) => join(root, '.git')],
])('a link of a check in the place of %s reaches nothing of the user', async (_what, at, to) => {
  const { folder, checks } = rig();
  const fixture = r1Submodule(folder, { unreachable: false });
  fixture.write('lib/untracked.txt', 'mine');
  const before = checkoutHash(fixture.root);
  const refs = fixture.git('for-each-ref');
  const first = await checks.lease(wanted(fixture));
  rmSync(join(first.directory, at), { recursive: true });
  symlinkSync(to(fixture.root), join(first.directory, at));
  await first.release();
  const second = await checks.lease(wanted(fixture));
  expect(checkoutHash(fixture.root)).toBe(before);
  expect(fixture.git('for-each-ref')).toBe(refs);
  expect(runGit(second.directory, 'status', '--porcelain')).toBe('');
  expect(readdirSync(join(second.directory, 'lib')).sort()).toEqual(['.git', 'lib.mjs']);
  await second.release();
});

test('a file .git of a check that names the user’s repository reaches nothing of it', async () => {
  const { folder, checks } = rig();
  const fixture = r1Submodule(folder, { unreachable: false });
  const before = checkoutHash(fixture.root);
  const first = await checks.lease(wanted(fixture));
  for (const at of ['.git', 'lib/.git']) {
    rmSync(join(first.directory, at), { recursive: true });
    writeFileSync(join(first.directory, at), `gitdir: ${join(fixture.root, '.git')}\n`);
  }
  await first.release();
  await (await checks.lease(wanted(fixture))).release();
  expect(checkoutHash(fixture.root)).toBe(before);
});

test('a commit that no branch names yet is fetched; hooks do not run (L-D17)', async () => {
  const { folder, checks } = rig();
  const fixture = r3Hooks(folder);
  await (await checks.lease(wanted(fixture))).release();
  const tree = fixture.git('rev-parse', 'HEAD^{tree}');
  const commit = asCommit(fixture.git('commit-tree', tree, '-p', 'HEAD', '-m', 'dangling'));
  const leased = await checks.lease(wanted(fixture, { commit }));
  expect(runGit(leased.directory, 'rev-parse', 'HEAD')).toBe(commit);
  expect(existsSync(join(folder, 'hooks.ran'))).toBe(false);
  await leased.release();
});

test.each([
  ['partial', '--filter=blob:none'],
  ['shallow', '--depth=1'],
])('a %s clone of the user’s serves check trees and fresh trees', async (_what, option) => {
  const { folder, checks, workspace } = rig();
  const remote = r0Plain(folder);
  remote.write('src/two.mjs', '2');
  remote.commit('two');
  remote.git('config', 'uploadpack.allowFilter', 'true');
  runGit(folder, 'clone', '-q', option, `file://${remote.root}`, 'mine');
  const fixture = fixtureAt(join(folder, 'mine'));
  const leased = await checks.lease(wanted(fixture));
  expect(existsSync(join(leased.directory, 'src/add.mjs'))).toBe(true);
  await leased.release();
  const fresh = requestFor(fixture, { fresh: 'abcdefghjkmn.1' as never });
  const tree = await workspace.openTree(fresh);
  put(tree.directory, 'new.txt', 'x');
  const commit = asCommit((await workspace.snapshot(tree, 'attempt 1')).commit ?? '');
  const again = await checks.lease(wanted(fixture, { commit }));
  expect(existsSync(join(again.directory, 'new.txt'))).toBe(true);
  await again.release();
});

test('as many at once as there are slots; the next one waits for a release', async () => {
  const { folder, checks } = rig();
  const fixture = r0Plain(folder);
  const both = await Promise.all([1, 2].map(() => checks.lease(wanted(fixture))));
  expect(new Set(both.map(({ directory }) => directory)).size).toBe(2);
  const order: string[] = [];
  const third = checks.lease(wanted(fixture)).then((leased) => {
    order.push('leased');
    return leased;
  });
  const cancelled = new AbortController();
  const fourth = checks.lease(wanted(fixture, { signal: cancelled.signal }));
  cancelled.abort();
  await expect(fourth).rejects.toMatchObject({ code: 'workspace_busy' });
  order.push('released');
  await both[0]?.release();
  await (await third).release();
  expect(order).toEqual(['released', 'leased']);
  await both[1]?.release();
});

test('a tree whose holder died is free, one with a reused pid too (L-K5)', async () => {
  const { folder, checks } = rig();
  const fixture = r0Plain(folder);
  const leased = await checks.lease(wanted(fixture, { slots: 1 }));
  const owner = `${leased.directory}.owner`;
  const note = JSON.parse(readFileSync(owner, 'utf8')) as Record<string, unknown>;
  const child = spawn('true');
  await new Promise((resolve) => child.on('close', resolve));
  for (const dead of [{ pid: child.pid }, { pid: 1 }, { started: 1 }, { boot: 'another' }]) {
    writeFileSync(owner, JSON.stringify({ ...note, ...dead }));
    const again = await checks.lease(wanted(fixture, { slots: 1 }));
    expect(again.directory).toBe(leased.directory);
    await again.release();
  }
  writeFileSync(owner, '');
  await (await checks.lease(wanted(fixture, { slots: 1 }))).release();
});

test('submodules are filled, cleaned and brought to their commit', async () => {
  const { folder, checks } = rig();
  const fixture = r1Submodule(folder, { unreachable: false });
  const first = await checks.lease(wanted(fixture));
  expect(existsSync(join(first.directory, 'lib/lib.mjs'))).toBe(true);
  put(first.directory, 'lib/lib.mjs', 'spoiled');
  put(first.directory, 'lib/extra.txt', 'x');
  put(first.directory, 'lib/node_modules/a', 'prepared');
  await first.release();
  put(fixture.root, 'lib/lib.mjs', 'export const lib = 2;\n');
  runGit(join(fixture.root, 'lib'), 'commit', '-qam', 'two');
  fixture.commit('newer library');
  const second = await checks.lease(wanted(fixture, { keep: ['lib/node_modules'] }));
  expect(readdirSync(join(second.directory, 'lib')).sort()).toEqual([
    '.git',
    'lib.mjs',
    'node_modules',
  ]);
  expect(readFileSync(join(second.directory, 'lib/lib.mjs'), 'utf8')).toContain('lib = 2');
  await second.release();
});

test('a submodule that stays empty is named with why, and whether the checkout has it (L-G2)', async () => {
  const { folder, checks } = rig();
  const fixture = r1Submodule(folder, { unreachable: false });
  const commit = fixture.git('rev-parse', 'HEAD:lib');
  fixture.git('update-index', '--cacheinfo', `160000,${commit.replace(/./g, '1')},lib`);
  fixture.git('commit', '-qm', 'a commit that nobody has');
  const torn = await checks.lease(wanted(fixture));
  expect(torn.emptySubmodules).toEqual([
    { note: expect.stringMatching(/^submodule lib: /), asInCheckout: false },
  ]);
  await torn.release();
  fixture.git('update-index', '--cacheinfo', `160000,${commit},lib`);
  fixture.git('commit', '-qm', 'back');
  rmSync(join(fixture.root, 'lib'), { recursive: true });
  rmSync(join(fixture.root, '.git/modules/lib'), { recursive: true });
  fixture.git('config', '--unset', 'submodule.lib.url');
  const without = await checks.lease(wanted(fixture));
  expect(without.emptySubmodules).toEqual([
    { note: 'submodule lib: not initialised in the checkout', asInCheckout: true },
  ]);
  await without.release();
});

test('ignored paths are named topmost, files and folders, whatever their names', async () => {
  const { folder, checks } = rig();
  const fixture = r2OddNames(folder);
  fixture.write('node_modules/a/b/c.js', 'x');
  fixture.write('packages/日本 "x"/node_modules/d.js', 'x');
  fixture.write('packages/p/index.js', 'untracked');
  fixture.write('logs/today.log', 'x');
  fixture.write('.env', 'x');
  expect(await checks.ignoredPaths(fixture.root)).toEqual([
    '.env',
    'logs/today.log',
    'node_modules',
    'packages/日本 "x"/node_modules',
  ]);
});

test('folders that tools make belong in no commit, ignored or not; other untracked paths stray', async () => {
  const { folder, checks } = rig();
  const fixture = r0Plain(folder);
  fixture.write('.gitignore', '*.log\n');
  fixture.git('add', '-A');
  fixture.git('commit', '-qm', 'ignore');
  fixture.write('node_modules/a/b.js', 'x');
  fixture.write('src/.venv/x', 'x');
  fixture.write('src/gen.mjs', 'x');
  fixture.write('made/deep/x', 'x');
  fixture.write('a.log', 'x');
  expect(await checks.ignoredPaths(fixture.root)).toEqual(['a.log', 'node_modules', 'src/.venv']);
  expect(await checks.strayPaths(fixture.root)).toEqual(['made', 'src/gen.mjs']);
});

test('files, listings and trees of a commit are read exactly, from a bare repository too', async () => {
  const { folder, checks } = rig();
  const fixture = r2OddNames(folder);
  const head = asCommit(fixture.git('rev-parse', 'HEAD'));
  for (const name of oddNames) {
    const bytes = await checks.show(fixture.root, head, name);
    expect(Buffer.from(bytes ?? []).toString()).toBe(`${name}\n`);
  }
  expect(await checks.show(fixture.root, head, 'nothing.txt')).toBeNull();
  const list = await checks.list(join(fixture.root, 'src'), head);
  expect([...list.keys()]).toEqual(expect.arrayContaining([...oddNames, 'src/add.mjs']));
  expect(list.get('src/add.mjs')).toBe(fixture.git('rev-parse', 'HEAD:src/add.mjs'));
  expect(await checks.treeOf(fixture.root, head)).toBe(fixture.git('rev-parse', 'HEAD^{tree}'));
  const bare = r7Bare(folder);
  const leased = await checks.lease(wanted(bare));
  expect(existsSync(join(leased.directory, 'src/add.mjs'))).toBe(true);
  await leased.release();
});

test('protected files of a check tree go back to the base and are named', async () => {
  const { folder, checks } = rig();
  const fixture = r0Plain(folder);
  const base = asCommit(fixture.git('rev-parse', 'HEAD'));
  fixture.write('test/add.test.mjs', '// nothing\n');
  fixture.write('test/extra.test.mjs', '// new\n');
  fixture.write('src/add.mjs', 'work\n');
  fixture.commit('cheat');
  const leased = await checks.lease(wanted(fixture));
  expect([...(await checks.restore(leased.directory, base, ['test/**']))].sort()).toEqual([
    'test/add.test.mjs',
    'test/extra.test.mjs',
  ]);
  expect(readFileSync(join(leased.directory, 'test/add.test.mjs'), 'utf8')).toContain('adds');
  expect(existsSync(join(leased.directory, 'test/extra.test.mjs'))).toBe(false);
  expect(readFileSync(join(leased.directory, 'src/add.mjs'), 'utf8')).toBe('work\n');
  await leased.release();
});

test('a lane’s tree is cleaned without loss, and nothing else ever is', async () => {
  const { folder, checks, workspace, home } = rig({ max: 100 });
  const fixture = r0Plain(folder);
  const tree = await workspace.openTree(requestFor(fixture));
  put(tree.directory, 'src/add.mjs', 'work\n');
  put(tree.directory, 'dump.sql', 'x'.repeat(101));
  put(tree.directory, 'node_modules/a.js', 'ignored');
  const { commit } = await workspace.snapshot(tree, 'attempt 1');
  put(tree.directory, 'src/add.mjs', 'later\n');
  await checks.cleanLaneTree(tree.directory, asCommit(commit ?? ''));
  expect(runGit(tree.directory, 'status', '--porcelain')).toBe('');
  expect(readFileSync(join(tree.directory, 'src/add.mjs'), 'utf8')).toBe('work\n');
  expect(existsSync(join(tree.directory, 'node_modules/a.js'))).toBe(true);
  const [aside] = readdirSync(join(home, 'lost'));
  expect(existsSync(join(home, 'lost', aside ?? '', 'dump.sql'))).toBe(true);
  fixture.write('mine.txt', 'x');
  const before = checkoutHash(fixture.root);
  const base = asCommit(tree.base ?? '');
  await expect(checks.cleanLaneTree(fixture.root, base)).rejects.toMatchObject({
    code: 'workspace_lost',
  });
  expect(checkoutHash(fixture.root)).toBe(before);
});
