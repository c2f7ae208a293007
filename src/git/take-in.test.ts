/**
 * Goal: nothing that a worker can put into a bundle harms the repository of the project; what is
 * refused leaves it as it was. Method: real bundles over real objects, some made by plumbing that
 * no honest git would use.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  blob,
  bundleOf,
  commitOn,
  entry,
  packOf,
  tree,
  withEntry,
} from '../../test/support/bundles.ts';
import { asCommit, execution, requestFor, rig } from '../../test/support/git-rig.ts';
import { type Fixture, fixtureAt, r0Plain, runGit } from '../../test/support/repositories.ts';
import type { BundleLimits, WorkBundle } from '../ports/source.ts';
import type { Commit, RunId } from '../ports/words.ts';
import { gitExchange } from './exchange.ts';
import { leadsAway } from './unsafe-entries.ts';

const ref = 'refs/pawl/outgoing/abcdefghjkmn.3';
const yes = async () => true;

interface Bench {
  readonly project: Fixture;
  /** The other machine's copy. */
  readonly far: Fixture;
  readonly home: string;
  readonly base: Commit;
  take(
    more: Partial<WorkBundle>,
    limits?: Partial<BundleLimits>,
    isWanted?: () => Promise<boolean>,
  ): ReturnType<ReturnType<typeof gitExchange>['takeIn']>;
  /** Everything that could have moved. */
  state(): string;
}

function bench(): Bench {
  const { folder, home } = rig();
  const project = r0Plain(folder);
  runGit(folder, 'clone', '-q', project.root, 'far');
  const far = fixtureAt(join(folder, 'far'));
  const base = asCommit(project.git('rev-parse', 'HEAD'));
  const env = { PATH: process.env['PATH'], HOME: folder };
  return {
    project,
    far,
    home,
    base,
    take: (more, limits = {}, isWanted = yes) =>
      gitExchange({ home, env, limits }).takeIn(
        {
          run: 'abcdefghjkmn' as RunId,
          branch: 'pawl/fix-add-abcd',
          execution: execution('abcdefghjkmn.3'),
          root: project.root,
          from: base,
          tip: base,
          bundle: Buffer.from(''),
          ...more,
        },
        isWanted,
      ),
    state: () =>
      [
        project.git('for-each-ref'),
        project.git('status', '--porcelain'),
        project.git('count-objects', '-v').replace(/^size.*$/gm, ''),
      ].join('\n'),
  };
}

const work = ({ far, base }: Bench) => {
  far.write('src/add.mjs', 'export const add = (a, b) => a + b;\n');
  const tip = asCommit(far.commit('work'));
  return { tip, bundle: bundleOf(far, { [ref]: tip }, base) };
};

test('work of another machine becomes the branch of its run, and the checkout stays (DESIGN §6)', async () => {
  const b = bench();
  const { tip, bundle } = work(b);
  const taken = await b.take({ tip, bundle });
  expect(taken).toEqual({ ok: true, branch: 'pawl/fix-add-abcd' });
  expect(b.project.git('rev-parse', 'refs/heads/pawl/fix-add-abcd')).toBe(tip);
  expect(b.project.git('rev-parse', 'refs/pawl/incoming/abcdefghjkmn.3')).toBe(tip);
  expect(b.project.git('rev-parse', 'refs/pawl/run/abcdefghjkmn')).toBe(tip);
  expect(b.project.git('rev-parse', 'HEAD')).toBe(b.base);
  expect(b.project.git('status', '--porcelain')).toBe('');
  expect(readdirSync(join(b.home, 'quarantine'))).toEqual([]);
});

test('the same work again is taken in without effect; other work of the execution is refused (XP-15)', async () => {
  const b = bench();
  const first = work(b);
  await b.take(first);
  const before = b.state();
  expect(await b.take(first)).toEqual({ ok: true, branch: 'pawl/fix-add-abcd' });
  b.far.write('more.txt', 'more\n');
  const tip = asCommit(b.far.commit('other'));
  const bundle = bundleOf(b.far, { [ref]: tip }, b.base);
  expect(await b.take({ tip, bundle })).toMatchObject({ ok: false, reason: 'bundle.other_work' });
  expect(b.state()).toBe(before);
});

test('a tree of the run on this machine is not entered again once newer work came in', async () => {
  const { folder, home, workspace } = rig();
  const project = r0Plain(folder);
  const request = requestFor(project);
  const first = await workspace.openTree(request);
  runGit(folder, 'clone', '-q', project.root, 'far');
  const far = fixtureAt(join(folder, 'far'));
  far.write('new.txt', 'new\n');
  const tip = asCommit(far.commit('work'));
  const from = asCommit(project.git('rev-parse', 'HEAD'));
  const bundle = bundleOf(far, { [ref]: tip }, from);
  const { run } = request;
  const names = { run, branch: 'pawl/fix-add-abcd', execution: execution('abcdefghjkmn.3') };
  const env = { PATH: process.env['PATH'], HOME: folder };
  const exchange = gitExchange({ home, env });
  await exchange.takeIn({ ...names, root: project.root, from, tip, bundle }, yes);
  const second = await workspace.openTree({ ...request, from: tip });
  expect(second.created).toBe(true);
  expect(second.directory).not.toBe(first.directory);
  expect(existsSync(join(second.directory, 'new.txt'))).toBe(true);
  const snapshot = await workspace.snapshot(second, 'next');
  expect(project.git('rev-parse', 'refs/heads/pawl/fix-add-abcd')).toBe(snapshot.commit);
});

test('an execution that lost its grant moves nothing, at whichever step (XP-11)', async () => {
  for (const grants of [0, 1]) {
    const b = bench();
    const { tip, bundle } = work(b);
    const heads = b.project.git('for-each-ref', 'refs/heads');
    let asked = 0;
    const isWanted = async () => {
      asked += 1;
      return asked <= grants;
    };
    const taken = await b.take({ tip, bundle }, {}, isWanted);
    expect(taken).toMatchObject({ ok: false, reason: 'bundle.not_wanted' });
    expect(b.project.git('for-each-ref', 'refs/heads')).toBe(heads);
  }
});

type Hostile = (b: Bench) => Partial<WorkBundle>;
const carrying = (b: Bench, tip: string): Partial<WorkBundle> => ({
  tip: asCommit(tip),
  bundle: bundleOf(b.far, { [ref]: tip }, b.base),
});
const added =
  (mode: string, name: string, content: string): Hostile =>
  (b) =>
    carrying(b, withEntry(b.far, b.base, entry(mode, blob(b.far.root, content), name)));
const gitFolder =
  (name: string): Hostile =>
  (b) => {
    const config = entry('100644', blob(b.far.root, '[core]\n\tsshCommand = evil\n'), 'config');
    const folder = entry('040000', tree(b.far.root, config), name);
    return carrying(b, withEntry(b.far, b.base, folder));
  };

const hostile: readonly (readonly [string, string, Hostile])[] = [
  ['.git/config', 'bundle.not_sound', gitFolder('.git')],
  ['.GIT/config, the same where case is folded', 'bundle.not_sound', gitFolder('.GIT')],
  ['git~1/config, the same on Windows', 'bundle.not_sound', gitFolder('git~1')],
  ['.g\u200cit/config, the same on HFS+', 'bundle.not_sound', gitFolder('.g\u200cit')],
  ['a .gitmodules that is a link', 'bundle.not_sound', added('120000', '.gitmodules', 'a')],
  [
    'a .gitmodules whose address is an option',
    'bundle.not_sound',
    added('100644', '.gitmodules', '[submodule "x"]\n\tpath = x\n\turl = -u./payload\n'),
  ],
  [
    'a .gitmodules whose name climbs',
    'bundle.not_sound',
    added('100644', '.gitmodules', '[submodule "../../x"]\n\tpath = x\n\turl = https://a/x\n'),
  ],
  ['a link to /etc', 'bundle.unsafe_link', added('120000', 'etc', '/etc')],
  ['a link out of the tree', 'bundle.unsafe_link', added('120000', 'up', '../../secret')],
  ["a link into git's folder", 'bundle.unsafe_link', added('120000', 'hooks', '.GIT/hooks')],
  ['a link that folds onto a folder', 'bundle.unsafe_link', added('120000', 'SRC', 'test')],
  [
    'a submodule that moved',
    'bundle.submodule',
    (b) => carrying(b, withEntry(b.far, b.base, entry('160000', 'a'.repeat(40), 'lib'))),
  ],
  [
    'other refs inside',
    'bundle.other_refs',
    (b) => {
      const { tip } = work(b);
      const refs = { [ref]: tip, 'refs/heads/main2': tip };
      return { tip, bundle: bundleOf(b.far, refs, b.base) };
    },
  ],
  [
    'a ref of the project instead of its own',
    'bundle.other_refs',
    (b) => {
      const { tip } = work(b);
      return { tip, bundle: bundleOf(b.far, { 'refs/heads/pawl2': tip }, b.base) };
    },
  ],
  ['another tip than was told', 'bundle.wrong_tip', (b) => ({ ...work(b), tip: b.base })],
  [
    'a tip that is no commit',
    'bundle.wrong_tip',
    (b) => {
      const tip = asCommit(blob(b.far.root, 'only a file\n'));
      return { tip, bundle: bundleOf(b.far, { [ref]: tip }, b.base) };
    },
  ],
  [
    'history that does not go on from the base',
    'bundle.wrong_tip',
    (b) => carrying(b, commitOn(b.far.root, tree(b.far.root))),
  ],
  [
    'a base that is not there',
    'bundle.missing_base',
    (b) => {
      b.far.write('between.txt', '1\n');
      const between = b.far.commit('between');
      b.far.write('after.txt', '2\n');
      const tip = asCommit(b.far.commit('after'));
      return { tip, bundle: bundleOf(b.far, { [ref]: tip }, between) };
    },
  ],
  [
    'objects left out',
    'bundle.not_sound',
    (b) => {
      const { tip, bundle } = work(b);
      const packAt = bundle.indexOf('\n\n') + 2;
      const pack = packOf(b.far.root, tip);
      return { tip, bundle: Buffer.concat([bundle.subarray(0, packAt), pack]) };
    },
  ],
  [
    'bytes changed on the way',
    'bundle.not_sound',
    (b) => {
      const { tip, bundle } = work(b);
      const bent = Buffer.from(bundle);
      bent.writeUInt8(bent.readUInt8(bent.length - 30) ^ 0xff, bent.length - 30);
      return { tip, bundle: bent };
    },
  ],
  [
    'a bundle that was cut',
    'bundle.not_sound',
    (b) => {
      const { tip, bundle } = work(b);
      return { tip, bundle: bundle.subarray(0, bundle.length - 25) };
    },
  ],
  ['no bundle at all', 'bundle.malformed', () => ({ bundle: Buffer.from('hello\n\nPACK') })],
  [
    'an object count that no bundle has',
    'bundle.too_many_objects',
    (b) => {
      const { tip, bundle } = work(b);
      const lied = Buffer.from(bundle);
      lied.writeUInt32BE(4_000_000_000, lied.indexOf('\n\n') + 2 + 8);
      return { tip, bundle: lied };
    },
  ],
];

test.each(hostile)('a bundle with %s is refused as %s', async (_what, reason, make) => {
  const b = bench();
  const bent = make(b);
  const before = b.state();
  expect(await b.take(bent)).toMatchObject({ ok: false, reason });
  expect(b.state()).toBe(before);
  const left = existsSync(join(b.home, 'quarantine'))
    ? readdirSync(join(b.home, 'quarantine'))
    : [];
  expect(left).toEqual([]);
});

test('bounds: bytes, objects, and what a small pack unpacks to', async () => {
  const b = bench();
  b.far.write('zeros.txt', '0'.repeat(4 * 1024 * 1024));
  const tip = asCommit(b.far.commit('a file that packs well'));
  const bundle = bundleOf(b.far, { [ref]: tip }, b.base);
  const before = b.state();
  const tries = [
    [{ bytes: bundle.length - 1 }, 'bundle.too_large'],
    [{ objects: 2 }, 'bundle.too_many_objects'],
    [{ unpackedBytes: 1024 * 1024 }, 'bundle.too_large'],
  ] as const;
  for (const [limits, reason] of tries) {
    expect(await b.take({ tip, bundle }, limits)).toMatchObject({ ok: false, reason });
  }
  expect(b.state()).toBe(before);
  expect(await b.take({ tip, bundle })).toMatchObject({ ok: true });
});

test('a branch of somebody else with the same name is left alone', async () => {
  const b = bench();
  const other = commitOn(b.project.root, tree(b.project.root), b.base);
  b.project.git('update-ref', 'refs/heads/pawl/fix-add-abcd', other);
  const { tip, bundle } = work(b);
  const taken = await b.take({ tip, bundle });
  expect(taken).toEqual({ ok: true, branch: 'pawl/fix-add-abcd-2' });
  expect(b.project.git('rev-parse', 'refs/heads/pawl/fix-add-abcd')).toBe(other);
});

test.each([
  ['a/link', '../b', false],
  ['a/link', '../../b', true],
  ['link', 'a/../../b', true],
  ['link', 'C:\\Windows', true],
  ['link', '..\\secret', true],
  ['a/link', '../.git./config', true],
  ['link', '.github/x', false],
  ['link', '.', false],
])('a link %s → %s leads away: %s', (path, target, away) => {
  expect(leadsAway(path, target)).toBe(away);
});
