import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { asCommit, put, requestFor, rig, runNumber } from '../../test/support/git-rig.ts';
import {
  checkoutHash,
  type Fixture,
  r0Plain,
  r1Submodule,
  r3Hooks,
  r7Bare,
  runGit,
} from '../../test/support/repositories.ts';
import type { LandRequest } from '../ports/workspace.ts';

vi.setConfig({ testTimeout: 60_000 });

const mended = 'export const add = (a, b) => a + b;\n';
const passing: LandRequest['verify'] = () => Promise.resolve({ passed: true, summary: '' });

/** A run that has done its work, and a landing of it. */
async function worked(make = r0Plain, options: Parameters<typeof rig>[0] = {}, n = 1) {
  const machine = rig(options);
  const fixture = make(machine.folder);
  return { ...machine, fixture, ...(await workIn(machine, fixture, n)) };
}
async function workIn(machine: ReturnType<typeof rig>, fixture: Fixture, n: number) {
  const request = requestFor(fixture, runNumber(n));
  const tree = await machine.workspace.openTree(request);
  put(tree.directory, `src/new-${n}.mjs`, mended);
  const { commit } = await machine.workspace.snapshot(tree, 'attempt 1');
  const landing = (more: Partial<LandRequest> = {}) =>
    machine.workspace.land({
      root: fixture.root,
      run: request.run,
      branch: tree.branch ?? '',
      head: asCommit(commit ?? ''),
      base: asCommit(tree.base ?? ''),
      into: 'main',
      method: 'squash',
      message: 'Mend add',
      verify: null,
      ...more,
    });
  return { tree, head: asCommit(commit ?? ''), landing };
}

test.each([
  ['squash', 1, 'Mend add'],
  ['merge', 2, 'Mend add'],
  ['ff', 1, 'attempt 1'],
] as const)(
  '%s: the branch moves and a clean checkout follows',
  async (method, parents, subject) => {
    const { fixture, landing, head } = await worked();
    const landed = await landing({ method });
    expect(landed).toMatchObject({ ok: true, into: 'main', method, moved: 0, reverified: false });
    expect(fixture.git('rev-parse', 'main^{tree}')).toBe(
      fixture.git('rev-parse', `${head}^{tree}`),
    );
    expect(fixture.git('log', '-1', '--format=%P').split(' ')).toHaveLength(parents);
    expect(fixture.git('log', '-1', '--format=%s')).toBe(subject);
    expect(fixture.git('status', '--porcelain')).toBe('');
    expect(fixture.read('src/new-1.mjs')).toBe(mended);
    expect(fixture.git('reflog', '-1', '--format=%gs')).toMatch(/^pawl: land pawl\//);
  },
);

test('the landing carries the user’s name, and pawl’s where there is none', async () => {
  const named = await worked(r0Plain, { gitconfig: '[user]\n\tname = Eve\n\temail = e@x.org\n' });
  await named.landing();
  expect(named.fixture.git('log', '-1', '--format=%an %ae %cn')).toBe('Eve e@x.org Eve');
  const anonymous = await worked();
  await anonymous.landing();
  expect(anonymous.fixture.git('log', '-1', '--format=%an')).toBe('pawl');
});

test('an unmoved target is judged again only when asked', async () => {
  const { landing } = await worked();
  const verify = vi.fn(passing);
  expect(await landing({ verify })).toMatchObject({ ok: true, reverified: false });
  expect(verify).not.toHaveBeenCalled();
  const again = await worked();
  expect(await again.landing({ verify, always: true })).toMatchObject({ reverified: true });
});

test('a moved target is merged aside and the merged commit is judged', async () => {
  const { fixture, landing, home } = await worked();
  fixture.write('other.txt', 'x');
  const moved = fixture.commit('other');
  const judged: string[] = [];
  const landed = await landing({
    verify: (commit) => {
      judged.push(fixture.git('ls-tree', '-r', '--name-only', commit));
      expect(fixture.git('rev-parse', 'main')).toBe(moved);
      return Promise.resolve({ passed: true, summary: '' });
    },
  });
  expect(landed).toMatchObject({ ok: true, moved: 1, reverified: true });
  expect(judged[0]).toMatch(/other\.txt[\s\S]*src\/new-1\.mjs/);
  expect(fixture.read('other.txt') + fixture.read('src/new-1.mjs')).toBe(`x${mended}`);
  expect(fixture.git('log', '-1', '--format=%P')).toBe(moved);
  expect(fixture.git('worktree', 'list').split('\n')).toHaveLength(2);
  expect(readdirSync(join(home, 'scratch'))).toEqual([]);
  expect(fixture.git('for-each-ref', 'refs/pawl/landing')).toBe('');
});

test('a moved target that has all of the work already is judged as promised', async () => {
  const { fixture, landing } = await worked();
  fixture.write('src/new-1.mjs', mended);
  const moved = fixture.commit('the same by hand');
  const judged: string[] = [];
  const verify = (commit: string) => {
    judged.push(commit);
    return Promise.resolve({ passed: judged.length > 1, summary: '1 failed' });
  };
  expect(await landing({ verify })).toMatchObject({ ok: false, reason: 'check_failed' });
  expect(await landing({ verify })).toMatchObject({ ok: true, commit: moved, reverified: true });
  expect(judged).toEqual([moved, moved]);
});

test('a check that fails on the merged commit changes nothing', async () => {
  const { fixture, landing } = await worked();
  fixture.write('other.txt', 'x');
  fixture.commit('other');
  const [before, refs] = [checkoutHash(fixture.root), fixture.git('for-each-ref')];
  const verify = () => Promise.resolve({ passed: false, summary: '1 failed' });
  expect(await landing({ verify })).toEqual({
    ok: false,
    reason: 'check_failed',
    detail: '1 failed',
    moved: 1,
  });
  expect(checkoutHash(fixture.root)).toBe(before);
  expect(fixture.git('for-each-ref')).toBe(refs);
  await expect(landing({ verify: () => Promise.reject(new Error('broke')) })).rejects.toThrow(
    'broke',
  );
  expect(fixture.git('for-each-ref')).toBe(refs);
});

test('a conflict names its paths and changes nothing', async () => {
  const { fixture, landing } = await worked();
  fixture.write('src/new-1.mjs', 'theirs\n');
  fixture.commit('other');
  const [before, refs] = [checkoutHash(fixture.root), fixture.git('for-each-ref')];
  const landed = await landing({ method: 'merge' });
  expect(landed).toMatchObject({ ok: false, reason: 'conflict', detail: 'src/new-1.mjs' });
  expect(await landing({ method: 'ff' })).toMatchObject({ ok: false, reason: 'not_ff', moved: 1 });
  expect(checkoutHash(fixture.root)).toBe(before);
  expect(fixture.git('for-each-ref')).toBe(refs);
});

test('a dirty checkout of the target is refused by name and left as it is (L-C5)', async () => {
  const { fixture, landing } = await worked();
  fixture.write('package.json', '{}');
  const before = checkoutHash(fixture.root);
  expect(await landing()).toMatchObject({
    ...{ reason: 'dirty_target', detail: 'package.json', hindrance: 'changed' },
  });
  expect(checkoutHash(fixture.root)).toBe(before);
  fixture.git('checkout', '-q', 'package.json');
  fixture.write('src/new-1.mjs', 'mine, untracked');
  expect(await landing()).toMatchObject({
    ...{ reason: 'dirty_target', detail: 'src/new-1.mjs', hindrance: 'in_the_way' },
  });
  expect(fixture.read('src/new-1.mjs')).toBe('mine, untracked');
  fixture.git('clean', '-qf');
  fixture.write('pawl.yaml', 'x');
  fixture.write('elsewhere.txt', 'untracked');
  expect(await landing()).toMatchObject({ ok: true });
  expect(fixture.read('elsewhere.txt')).toBe('untracked');
});

test.each([
  ['a file', (at: string) => writeFileSync(at, 'MY_SECRET')],
  ['a folder', (at: string) => put(at, 'mine', 'x')],
  ['a link', (at: string) => symlinkSync('nowhere', at)],
] as const)('%s that is ignored and in the way is left as it is (L-C5)', async (_kind, make) => {
  const { fixture, landing, folder } = await worked();
  fixture.write('.gitignore', 'new-1.mjs\n');
  fixture.commit('ignore it');
  fixture.git('branch', 'shown');
  fixture.git('worktree', 'add', '-q', join(folder, 'linked'), 'shown');
  for (const [root, into] of [
    [fixture.root, 'main'],
    [join(folder, 'linked'), 'shown'],
  ] as const) {
    const at = join(root, 'src/new-1.mjs');
    make(at);
    const before = [checkoutHash(root), fixture.git('for-each-ref', 'refs/heads')];
    const landed = await landing({ into, verify: passing });
    expect(landed).toMatchObject({ ok: false, reason: 'dirty_target' });
    expect(landed).toMatchObject({ detail: 'src/new-1.mjs', hindrance: 'in_the_way' });
    expect([checkoutHash(root), fixture.git('for-each-ref', 'refs/heads')]).toEqual(before);
    rmSync(at, { recursive: true });
    expect(await landing({ into, verify: passing })).toMatchObject({ ok: true });
    expect(runGit(root, 'status', '--porcelain')).toBe('');
  }
});

test('an ignored file where a folder must be stays (L-C5)', async () => {
  const { fixture, landing } = await worked();
  fixture.write('.gitignore', 'src\n');
  fixture.git('rm', '-rqf', 'src');
  fixture.commit('no folder');
  fixture.write('src', 'mine');
  const landed = await landing({ verify: passing });
  expect(landed).toMatchObject({ ok: false, reason: 'dirty_target', detail: 'src' });
  expect(fixture.read('src')).toBe('mine');
});

test('a sparse checkout and one with a split index follow', async () => {
  const { fixture, landing } = await worked();
  fixture.git('update-index', '--split-index');
  fixture.git('sparse-checkout', 'set', '--no-cone', '/*', '!/test/');
  expect(await landing()).toMatchObject({ ok: true });
  expect(fixture.git('status', '--porcelain')).toBe('');
  expect(existsSync(join(fixture.root, 'test'))).toBe(false);
  expect(fixture.read('src/new-1.mjs')).toBe(mended);
});

test('submodules whose link moved are named, and the checkout can take them (L-G1)', async () => {
  const machine = rig();
  const fixture = r1Submodule(machine.folder, { unreachable: false });
  const request = requestFor(fixture, runNumber(1));
  const tree = await machine.workspace.openTree(request);
  put(tree.directory, 'lib/lib.mjs', 'export const lib = 2;\n');
  runGit(join(tree.directory, 'lib'), 'commit', '-qam', 'two');
  const { commit } = await machine.workspace.snapshot(tree, 'attempt 1');
  const landing = await machine.workspace.land({
    ...{ root: fixture.root, run: request.run, branch: tree.branch ?? '', into: 'main' },
    ...{ head: asCommit(commit ?? ''), base: asCommit(tree.base ?? '') },
    ...{ method: 'squash', message: '', verify: null },
  });
  expect(landing).toMatchObject({ ok: true, submodules: ['lib'] });
  fixture.git('submodule', 'update', '-q', 'lib');
  expect(readFileSync(join(fixture.root, 'lib/lib.mjs'), 'utf8')).toContain('lib = 2');
});

test('a target that is checked out nowhere moves alone, in a bare repository too', async () => {
  const { fixture, landing } = await worked();
  fixture.git('branch', 'release');
  fixture.write('package.json', 'dirty');
  const before = checkoutHash(fixture.root);
  expect(await landing({ into: 'release' })).toMatchObject({ ok: true });
  expect(checkoutHash(fixture.root)).toBe(before);
  expect(fixture.git('show', 'release:src/new-1.mjs')).toBe(mended.trim());
  expect(await landing({ into: 'nowhere' })).toMatchObject({ reason: 'target_missing' });
  const bare = await worked(r7Bare);
  expect(await bare.landing()).toMatchObject({ ok: true });
});

test('a target shown by a linked work tree is followed there', async () => {
  const { fixture, landing, folder } = await worked();
  fixture.git('switch', '-qc', 'mine');
  fixture.git('worktree', 'add', '-q', join(folder, 'linked'), 'main');
  expect(await landing()).toMatchObject({ ok: true });
  expect(existsSync(join(folder, 'linked/src/new-1.mjs'))).toBe(true);
  expect(runGit(join(folder, 'linked'), 'status', '--porcelain')).toBe('');
});

test('a target that moves during the judgement is merged and judged again', async () => {
  const { fixture, landing } = await worked();
  fixture.write('a.txt', 'a');
  fixture.commit('a');
  let judged = 0;
  const landed = await landing({
    verify: () => {
      judged += 1;
      if (judged === 1) {
        fixture.write('b.txt', 'b');
        fixture.commit('b');
      }
      return Promise.resolve({ passed: true, summary: '' });
    },
  });
  expect(landed).toMatchObject({ ok: true, moved: 2 });
  expect(judged).toBe(2);
  expect(fixture.read('b.txt') + fixture.read('src/new-1.mjs')).toBe(`b${mended}`);
});

test('a target that never rests is given up, nothing landed', async () => {
  const { fixture, landing } = await worked();
  const move = () => {
    fixture.write(`n/${Math.random()}.txt`, 'x');
    fixture.commit('again');
    return Promise.resolve({ passed: true, summary: '' });
  };
  await move();
  expect(await landing({ verify: move })).toMatchObject({ reason: 'target_moved_again' });
  expect(existsSync(join(fixture.root, 'src/new-1.mjs'))).toBe(false);
  expect(fixture.git('status', '--porcelain')).toBe('');
});

test('four landings at once all land, each on the others', async () => {
  const machine = rig();
  const fixture = r0Plain(machine.folder);
  const runs = await Promise.all([1, 2, 3, 4].map((n) => workIn(machine, fixture, n)));
  const all = await Promise.all(runs.map(({ landing }) => landing({ verify: passing })));
  expect(all.map(({ ok }) => ok)).toEqual([true, true, true, true]);
  expect(fixture.git('status', '--porcelain')).toBe('');
  for (const n of [1, 2, 3, 4]) expect(fixture.read(`src/new-${n}.mjs`)).toBe(mended);
});

test('landing the same work again says so and moves nothing', async () => {
  const { fixture, landing } = await worked();
  await landing();
  const main = fixture.git('rev-parse', 'main');
  expect(await landing()).toMatchObject({ ok: true, commit: main });
  expect(fixture.git('rev-parse', 'main')).toBe(main);
});

test('hooks do not run when a branch lands', async () => {
  const { fixture, landing, folder } = await worked(r3Hooks);
  runGit(
    fixture.root,
    '-c',
    'core.hooksPath=/dev/null',
    'commit',
    '-q',
    '--allow-empty',
    '-m',
    'x',
  );
  mkdirSync(join(fixture.root, 'other'));
  writeFileSync(join(fixture.root, 'other/x'), 'x');
  expect(await landing({ method: 'merge', verify: passing })).toMatchObject({ ok: true });
  expect(existsSync(join(folder, 'hooks.ran'))).toBe(false);
});

test('a landing is no finding against a run that works meanwhile, a commit beside it is (L-G22)', async () => {
  const machine = rig();
  const fixture = r0Plain(machine.folder);
  const { git } = fixture;
  git('branch', 'other');
  const tree = await machine.workspace.openTree(requestFor(fixture, runNumber(9)));
  const before = await machine.workspace.fingerprint(fixture.root);
  const was = git('rev-parse', '--short=7', 'main');
  const find = () =>
    machine.workspace.findings(tree, { fileScope: [], protected: [], allowed: [] }, before);
  const ways = [
    { method: 'squash' },
    { method: 'merge' },
    { into: 'other', method: 'ff' },
  ] as const;
  for (const [i, more] of ways.entries()) {
    const { landing } = await workIn(machine, fixture, i + 1);
    expect(await landing(more)).toMatchObject({ ok: true });
    expect(await find()).toEqual([]);
  }
  expect(git('rev-parse', '--short=7', 'main')).not.toBe(was);
  git('commit', '-q', '--allow-empty', '-m', 'not by a landing');
  git('branch', '-f', 'other', 'main');
  const is = git('rev-parse', '--short=7', 'main');
  expect(await find()).toMatchObject([
    { kind: 'checkout_moved', paths: [`main: ${was} → ${is}`, 'src/new-1.mjs', 'src/new-2.mjs'] },
    { kind: 'refs_changed', paths: [`branch other ${was} → ${is}`] },
  ]);
});
