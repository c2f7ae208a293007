import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { asCommit, execution, put, requestFor, rig } from '../../test/support/git-rig.ts';
import {
  checkoutHash,
  oddNames,
  r0Plain,
  r1Submodule,
  r2OddNames,
  r5Dirty,
  r7Empty,
  r7NotGit,
  runGit,
} from '../../test/support/repositories.ts';

vi.setConfig({ testTimeout: 60_000 });

async function opened(make = r0Plain, options: Parameters<typeof rig>[0] = {}) {
  const machine = rig(options);
  const fixture = make(machine.folder);
  const tree = await machine.workspace.openTree(requestFor(fixture));
  return { ...machine, fixture, tree };
}
const inTree = (directory: string, ...args: string[]) =>
  runGit(directory, '-c', 'core.hooksPath=/dev/null', ...args);

test('work becomes a commit on the branch, the tree clean after it, the checkout untouched (L-C5)', async () => {
  const { fixture, tree, workspace } = await opened(r5Dirty);
  const before = checkoutHash(fixture.root);
  put(tree.directory, 'src/new.mjs', 'export {};\n');
  rmSync(join(tree.directory, 'staged.txt'));
  const snapshot = await workspace.snapshot(tree, 'attempt 1');
  expect(snapshot).toMatchObject({ equalsBase: false, filesChanged: 2, leftOut: [] });
  expect(fixture.git('rev-parse', tree.branch ?? '')).toBe(snapshot.commit);
  expect(fixture.git('log', '-1', '--format=%an|%s', tree.branch ?? '')).toBe('pawl|attempt 1');
  expect(runGit(tree.directory, 'status', '--porcelain')).toBe('');
  expect(checkoutHash(fixture.root)).toBe(before);
});

test('nothing done is null and equal to the base; nothing more done is the same commit', async () => {
  const { tree, workspace } = await opened();
  const nothing = await workspace.snapshot(tree, 'attempt 1');
  expect(nothing).toEqual({ commit: null, equalsBase: true, filesChanged: 0, leftOut: [] });
  put(tree.directory, 'a.txt', 'a');
  const first = await workspace.snapshot(tree, 'attempt 1');
  expect(await workspace.snapshot(tree, 'attempt 2')).toEqual(first);
});

test('commits of the agent itself are the work, tree clean or not (L-C1, L-Q1)', async () => {
  const { fixture, tree, workspace } = await opened();
  put(tree.directory, 'a.txt', 'a');
  inTree(tree.directory, 'add', '-A');
  inTree(tree.directory, 'commit', '-qm', 'by the agent');
  const own = inTree(tree.directory, 'rev-parse', 'HEAD');
  expect(await workspace.snapshot(tree, 'attempt 1')).toMatchObject({
    commit: own,
    equalsBase: false,
    filesChanged: 1,
  });
  put(tree.directory, 'b.txt', 'b');
  const second = await workspace.snapshot(tree, 'attempt 2');
  expect(fixture.git('rev-parse', `${second.commit}^`)).toBe(own);
});

test.each([
  ['another branch', ['switch', '-qc', 'agent-branch']],
  ['a detached head', ['checkout', '-q', '--detach']],
])('commits on %s still reach the branch of the run', async (_where, verb) => {
  const { fixture, tree, workspace } = await opened();
  inTree(tree.directory, ...verb);
  put(tree.directory, 'a.txt', 'a');
  inTree(tree.directory, 'add', '-A');
  inTree(tree.directory, 'commit', '-qm', 'elsewhere');
  put(tree.directory, 'b.txt', 'b');
  const { commit } = await workspace.snapshot(tree, 'attempt 1');
  expect(fixture.git('rev-parse', tree.branch ?? '')).toBe(commit);
  expect(fixture.git('ls-tree', '--name-only', commit ?? '').split('\n')).toContain('b.txt');
  expect(inTree(tree.directory, 'symbolic-ref', '--short', 'HEAD')).toBe(tree.branch);
  expect(inTree(tree.directory, 'status', '--porcelain')).toBe('');
});

test('a rewritten history keeps both: what was recorded and what replaced it', async () => {
  const { fixture, tree, workspace } = await opened();
  put(tree.directory, 'a.txt', '1');
  const first = await workspace.snapshot(tree, 'attempt 1');
  put(tree.directory, 'a.txt', '2');
  inTree(tree.directory, 'commit', '-qam', 'amended', '--amend');
  const amended = inTree(tree.directory, 'rev-parse', 'HEAD');
  const second = await workspace.snapshot(tree, 'attempt 2');
  expect(fixture.git('log', '-1', '--format=%P', second.commit ?? '')).toBe(
    `${first.commit} ${amended}`,
  );
  inTree(tree.directory, 'reset', '-q', '--hard', 'HEAD~1');
  const third = await workspace.snapshot(tree, 'attempt 3');
  expect(fixture.git('log', '-1', '--format=%P', third.commit ?? '')).toBe(second.commit);
});

test('a merge left half done is recorded as it lies and does not follow into the next turn', async () => {
  const { fixture, tree, workspace } = await opened();
  inTree(tree.directory, 'switch', '-qc', 'other');
  put(tree.directory, 'src/add.mjs', 'one\n');
  inTree(tree.directory, 'commit', '-qam', 'one');
  inTree(tree.directory, 'switch', '-q', tree.branch ?? '');
  put(tree.directory, 'src/add.mjs', 'two\n');
  inTree(tree.directory, 'commit', '-qam', 'two');
  expect(() => inTree(tree.directory, 'merge', '-q', 'other')).toThrow();
  writeFileSync(join(inTree(tree.directory, 'rev-parse', '--git-dir'), 'index.lock'), '');
  const { commit } = await workspace.snapshot(tree, 'attempt 1');
  expect(fixture.git('show', `${commit}:src/add.mjs`)).toContain('<<<<<<<');
  put(tree.directory, 'c.txt', 'c');
  inTree(tree.directory, 'add', '-A');
  inTree(tree.directory, 'commit', '-qm', 'next');
  expect(inTree(tree.directory, 'log', '-1', '--format=%P')).toBe(commit);
});

test('odd names are recorded and listed as they are (L-G13)', async () => {
  const { fixture, tree, workspace } = await opened(r2OddNames);
  for (const name of oddNames) put(tree.directory, name, 'changed\n');
  put(tree.directory, 'neu/日本 "x".txt', 'new\n');
  put(tree.directory, 'tab\tname\nline.txt', 'new\n');
  const { commit, filesChanged } = await workspace.snapshot(tree, 'attempt 1');
  expect(filesChanged).toBe(oddNames.length + 2);
  const changed = await workspace.changedFiles(
    fixture.root,
    asCommit(fixture.git('rev-parse', 'main')),
    asCommit(commit ?? ''),
  );
  expect(changed.map(({ path }) => path).sort()).toEqual(
    [...oddNames, 'neu/日本 "x".txt', 'tab\tname\nline.txt'].sort(),
  );
});

test('a name that is no UTF-8 is work too', async () => {
  const { fixture, tree, workspace } = await opened();
  writeFileSync(Buffer.concat([Buffer.from(`${tree.directory}/latin-`), Buffer.from([0xe4])]), 'x');
  const { commit } = await workspace.snapshot(tree, 'attempt 1');
  expect(
    fixture.git('-c', 'core.quotePath=true', 'ls-tree', '--name-only', commit ?? ''),
  ).toContain('"latin-\\344"');
});

test('dumps, secrets, tools’ folders and nested repositories stay out and are named (L-N6)', async () => {
  const { fixture, tree, workspace } = await opened(r0Plain, { max: 1000 });
  rmSync(join(tree.directory, '.gitignore'));
  put(tree.directory, '.env', 'TOKEN=1');
  put(tree.directory, '.env.example', 'TOKEN=');
  put(tree.directory, 'dump.sql', 'x'.repeat(1001));
  put(tree.directory, 'packages/a/node_modules/b/index.js', 'x');
  runGit(tree.directory, 'init', '-q', 'nested');
  put(tree.directory, 'nested/x.txt', 'x');
  runGit(join(tree.directory, 'nested'), 'add', '-A');
  runGit(join(tree.directory, 'nested'), 'commit', '-qm', 'nested');
  const snapshot = await workspace.snapshot(tree, 'attempt 1');
  expect([...snapshot.leftOut].sort()).toEqual([
    '.env',
    'dump.sql',
    'nested/',
    'packages/a/node_modules/',
  ]);
  const recorded = fixture.git('ls-tree', '-r', '--name-only', snapshot.commit ?? '');
  expect(recorded).toContain('.env.example');
  expect(recorded).not.toMatch(/^\.env$|dump|nested|node_modules/m);
  expect(existsSync(join(tree.directory, 'dump.sql'))).toBe(true);
});

test('flags in the index hide no work', async () => {
  const { fixture, tree, workspace } = await opened();
  inTree(tree.directory, 'update-index', '--assume-unchanged', 'src/add.mjs');
  inTree(tree.directory, 'update-index', '--skip-worktree', 'package.json');
  put(tree.directory, 'src/add.mjs', 'changed\n');
  put(tree.directory, 'package.json', '{}\n');
  const { commit, filesChanged } = await workspace.snapshot(tree, 'attempt 1');
  expect(filesChanged).toBe(2);
  expect(fixture.git('show', `${commit}:src/add.mjs`)).toBe('changed');
});

test('a damaged index loses nothing', async () => {
  const { tree, workspace } = await opened();
  put(tree.directory, 'a.txt', 'a');
  writeFileSync(join(inTree(tree.directory, 'rev-parse', '--git-dir'), 'index'), 'DIRCgarbage');
  expect(await workspace.snapshot(tree, 'attempt 1')).toMatchObject({ filesChanged: 1 });
});

test('a commit in a submodule moves its link', async () => {
  const { fixture, tree, workspace } = await opened((folder) =>
    r1Submodule(folder, { unreachable: false }),
  );
  put(tree.directory, 'lib/lib.mjs', 'export const lib = 2;\n');
  inTree(join(tree.directory, 'lib'), 'commit', '-qam', 'two');
  const { commit } = await workspace.snapshot(tree, 'attempt 1');
  const inside = inTree(join(tree.directory, 'lib'), 'rev-parse', 'HEAD');
  expect(fixture.git('ls-tree', commit ?? '', 'lib')).toContain(inside);
});

test('a commit in a submodule outlives its tree: checks get it, the checkout can take it (L-C1, L-G1)', async () => {
  const { fixture, tree, workspace, checks } = await opened((folder) =>
    r1Submodule(folder, { unreachable: false }),
  );
  const before = await workspace.fingerprint(fixture.root);
  put(tree.directory, 'lib/lib.mjs', 'export const lib = 2;\n');
  inTree(join(tree.directory, 'lib'), 'commit', '-qam', 'two');
  const inside = inTree(join(tree.directory, 'lib'), 'rev-parse', 'HEAD');
  const { commit, leftOut } = await workspace.snapshot(tree, 'attempt 1');
  expect(leftOut).toEqual([]);
  const request = { root: fixture.root, commit: asCommit(commit ?? ''), keep: [], slots: 1 };
  const signal = new AbortController().signal;
  const check = await checks.lease({ ...request, submodules: 'auto', signal });
  expect(readFileSync(join(check.directory, 'lib/lib.mjs'), 'utf8')).toContain('lib = 2');
  await check.release();
  rmSync(tree.directory, { recursive: true });
  expect(inTree(join(fixture.root, 'lib'), 'cat-file', '-t', inside)).toBe('commit');
  // The user's checkout and submodule stand where they stood.
  expect(await workspace.fingerprint(fixture.root)).toEqual(before);
  expect(readFileSync(join(fixture.root, 'lib/lib.mjs'), 'utf8')).toContain('lib = 1');
});

test('a commit in a submodule that the checkout has no repository for is kept by the whole', async () => {
  const { fixture, tree, workspace, checks } = await opened((folder) =>
    r1Submodule(folder, { unreachable: false }),
  );
  rmSync(join(fixture.root, 'lib'), { recursive: true });
  rmSync(join(fixture.root, '.git/modules/lib'), { recursive: true });
  put(tree.directory, 'lib/lib.mjs', 'export const lib = 2;\n');
  inTree(join(tree.directory, 'lib'), 'commit', '-qam', 'two');
  const { commit } = await workspace.snapshot(tree, 'attempt 1');
  expect(fixture.git('for-each-ref', '--format=%(objectname)', 'refs/pawl/submodules')).toBe(
    inTree(join(tree.directory, 'lib'), 'rev-parse', 'HEAD'),
  );
  rmSync(tree.directory, { recursive: true });
  const request = { root: fixture.root, commit: asCommit(commit ?? ''), keep: [], slots: 1 };
  const signal = new AbortController().signal;
  const check = await checks.lease({ ...request, submodules: 'auto', signal });
  expect(check.emptySubmodules).toEqual([]);
  expect(readFileSync(join(check.directory, 'lib/lib.mjs'), 'utf8')).toContain('lib = 2');
  await check.release();
});

test.each([
  ['was removed', (directory: string) => rmSync(directory, { recursive: true })],
  ['lost its .git', (directory: string) => rmSync(join(directory, '.git'))],
  [
    'became a link to the checkout',
    (directory: string, root: string) => {
      renameSync(directory, `${directory}-away`);
      symlinkSync(root, directory);
    },
  ],
  [
    'was bent to the checkout',
    (directory: string, root: string) => {
      writeFileSync(join(directory, '.git'), `gitdir: ${join(root, '.git')}\n`);
    },
  ],
  [
    'is led elsewhere by core.worktree (L-G4)',
    (directory: string, root: string) => {
      runGit(root, 'config', 'extensions.worktreeConfig', 'true');
      runGit(directory, 'config', '--worktree', 'core.worktree', root);
    },
  ],
])('a tree that %s stops everything that writes (L-C4)', async (_what, spoil) => {
  const { fixture, tree, workspace } = await opened(r5Dirty);
  spoil(tree.directory, fixture.root);
  const before = checkoutHash(fixture.root);
  const refs = fixture.git('for-each-ref');
  const lost = { code: 'workspace_lost' };
  await expect(workspace.snapshot(tree, 'attempt 1')).rejects.toMatchObject(lost);
  await expect(workspace.salvage(tree, execution('abcdefghjkmn.1'))).rejects.toMatchObject(lost);
  await expect(workspace.restore(tree, ['src'])).rejects.toMatchObject(lost);
  expect(checkoutHash(fixture.root)).toBe(before);
  expect(fixture.git('for-each-ref')).toBe(refs);
});

test('the files of a tree without its .git are kept, and the error names where', async () => {
  const { fixture, tree, workspace } = await opened();
  put(tree.directory, 'src/new.mjs', 'the work');
  rmSync(join(tree.directory, '.git'));
  runGit(tree.directory, 'init', '-q');
  const before = checkoutHash(fixture.root);
  const thrown = await workspace.snapshot(tree, 'attempt 1').catch((error: unknown) => error);
  const ref = /refs\/pawl\/lost\/\S+/.exec(String(thrown))?.[0] ?? 'none';
  const { run } = requestFor(fixture);
  expect(await workspace.keptRefs(fixture.root, run)).toEqual([
    { ref, commit: fixture.git('rev-parse', ref) },
  ]);
  expect(await workspace.keptRefs(fixture.root, run.slice(0, -1) as typeof run)).toEqual([]);
  expect(thrown).toMatchObject({ code: 'workspace_lost' });
  expect(fixture.git('show', `${ref}:src/new.mjs`)).toBe('the work');
  expect(checkoutHash(fixture.root)).toBe(before);
});

test('a tree that nobody recorded is not written to', async () => {
  const { fixture, tree, workspace } = await opened(r5Dirty);
  const foreign = { ...tree, directory: fixture.root };
  await expect(workspace.snapshot(foreign, 'x')).rejects.toMatchObject({ code: 'workspace_lost' });
});

test('without isolation the folder is recorded beside the checkout, which stays', async () => {
  const { folder, workspace } = rig();
  const fixture = r5Dirty(folder);
  const before = checkoutHash(fixture.root);
  const request = requestFor(fixture, { isolation: 'none' });
  const tree = await workspace.openTree(request);
  const first = await workspace.snapshot(tree, 'attempt 1');
  expect(first).toMatchObject({ equalsBase: false });
  expect(checkoutHash(fixture.root)).toBe(before);
  expect(fixture.git('rev-parse', `refs/pawl/run/${request.run}`)).toBe(first.commit);
  expect(fixture.git('for-each-ref', 'refs/heads').split('\n')).toHaveLength(1);
  expect(await workspace.snapshot(tree, 'attempt 2')).toEqual(first);
  const files = await workspace.changedFiles(
    fixture.root,
    asCommit(tree.base ?? ''),
    asCommit(first.commit ?? ''),
  );
  expect(files.map(({ path }) => path)).toContain('notes/7.txt');
  const plain = { ...tree, directory: r7NotGit(folder), base: null };
  expect(await workspace.snapshot(plain, 'x')).toMatchObject({ commit: null, equalsBase: false });
});

test('the checkout as it lies becomes a commit beside it', async () => {
  const { folder, workspace } = rig();
  const fixture = r5Dirty(folder);
  const base = asCommit(fixture.git('rev-parse', 'HEAD'));
  const before = checkoutHash(fixture.root);
  const commit = await workspace.snapshotCheckout(fixture.root, base);
  expect(checkoutHash(fixture.root)).toBe(before);
  expect(fixture.git('show', `${commit}:staged.txt`)).toBe('after');
  expect(fixture.git('show', `${commit}:notes/7.txt`)).toBe('7');
  expect(fixture.git('rev-parse', `${commit}^`)).toBe(base);
  expect(await workspace.resolve(fixture.root, 'HEAD')).toBe(base);
  expect(await workspace.resolve(fixture.root, '--all')).toBeNull();
  expect(await workspace.resolve(r7Empty(folder).root, 'HEAD')).toBeNull();
});

test('salvage names unrecorded work in the repository, of a linked tree and of a clone (L-C9)', async () => {
  const { fixture, tree, workspace } = await opened();
  expect(await workspace.salvage(tree, execution('abcdefghjkmn.1'))).toBeNull();
  put(tree.directory, 'a.txt', 'a');
  const lost = await workspace.salvage(tree, execution('abcdefghjkmn.1'));
  expect(fixture.git('show', 'refs/pawl/lost/abcdefghjkmn.1:a.txt')).toBe('a');
  expect(fixture.git('rev-parse', tree.branch ?? '')).toBe(tree.base);
  expect(lost).not.toBeNull();
  expect(await workspace.salvage(tree, execution('abcdefghjkmn.1'))).toBe(lost);
  const fresh = await workspace.openTree(
    requestFor(fixture, { fresh: execution('abcdefghjkmn.2') }),
  );
  put(fresh.directory, 'b.txt', 'b');
  inTree(fresh.directory, 'add', '-A');
  inTree(fresh.directory, 'commit', '-qm', 'own');
  await workspace.salvage(fresh, execution('abcdefghjkmn.2'));
  expect(fixture.git('show', 'refs/pawl/lost/abcdefghjkmn.2:b.txt')).toBe('b');
});

test('an unreadable file is named, the rest is recorded', async () => {
  const { tree, workspace } = await opened();
  put(tree.directory, 'a.txt', 'a');
  put(tree.directory, 'locked.txt', 'x');
  chmodSync(join(tree.directory, 'locked.txt'), 0);
  const snapshot = await workspace.snapshot(tree, 'attempt 1');
  // Root reads everything, so there it is simply recorded.
  const isRoot = process.getuid?.() === 0;
  expect(snapshot.filesChanged).toBe(isRoot ? 2 : 1);
  expect(snapshot.leftOut).toEqual(isRoot ? [] : ['locked.txt']);
});

test('the tree’s print changes with every write and only then', async () => {
  const { tree, workspace } = await opened();
  const first = await workspace.treeFingerprint(tree);
  expect(await workspace.treeFingerprint(tree)).toBe(first);
  const path = join(tree.directory, 'src/add.mjs');
  writeFileSync(path, `${readFileSync(path, 'utf8')}// zombie\n`);
  const second = await workspace.treeFingerprint(tree);
  expect(second).not.toBe(first);
  mkdirSync(join(tree.directory, 'new'));
  put(tree.directory, 'new/x', 'x');
  expect(await workspace.treeFingerprint(tree)).not.toBe(second);
});
