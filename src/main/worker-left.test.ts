/**
 * Goal: of an ended run nothing stays on a worker, of any other nothing goes, and a mirror goes
 * only while nobody stands on it or is about to.
 * Method: a real repository brought into the home of a worker, trees, spools and claims of runs,
 * and dates that are set back.
 */
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { asCommit, put, requestFor, rig, runNumber } from '../../test/support/git-rig.ts';
import { r0Plain } from '../../test/support/repositories.ts';
import type { ExecutionId, RunId } from '../domain/ids.ts';
import { gitCheckTrees } from '../git/check-trees.ts';
import { gitExchange } from '../git/exchange.ts';
import { gitMirrors } from '../git/mirror.ts';
import { quarantine } from '../git/records.ts';
import { gitWorkspace } from '../git/workspace.ts';
import { selfHolder } from '../host/identity.ts';
import { openSpool, spoolPath } from '../host/spool.ts';
import { judgeHome } from './judge-trees.ts';
import { homesDirectory, spoolDirectory } from './places.ts';
import type { Surroundings } from './surroundings.ts';
import { leftHere } from './worker-left.ts';
import { claimsOf } from './worker-parts.ts';

vi.setConfig({ testTimeout: 60_000 });

const dayMs = 24 * 3_600_000;
const keptMs = 14 * dayMs;

async function machine() {
  const { folder, home: here } = rig();
  const fixture = r0Plain(folder);
  const env = { PATH: process.env['PATH'], HOME: folder };
  const far = { home: join(folder, 'far'), env, isolated: true };
  const around = far as unknown as Surroundings;
  const base = asCommit(fixture.git('rev-parse', 'HEAD'));
  const exchange = gitExchange({ home: here, env });
  const asked = { root: fixture.root, commit: base, have: [], withoutRemote: true };
  const source = await exchange.offer(asked);
  const mirrors = gitMirrors(far);
  const workspace = gitWorkspace(far);
  const living = new Set<ExecutionId>();
  const left = leftHere({ around, worker: 'w-1', hosts: { living: () => [...living] } });
  const bring = async (run: RunId) => (await mirrors.bring(source, run)).root;
  return {
    ...{ around, left, living, mirrors, source, bring },
    /** A run that worked here, and what it left. */
    worked: async (n: number) => {
      const { run, short } = runNumber(n);
      const root = await bring(run);
      const request = requestFor(fixture, { run, short, root, base, from: base });
      const tree = await workspace.openTree(request);
      put(tree.directory, 'made.txt', `by ${n}`);
      const execution = `${run}.2` as ExecutionId;
      const spool = spoolPath(spoolDirectory(around), execution);
      mkdirSync(spool, { recursive: true });
      mkdirSync(join(homesDirectory(around), run, 'fixer'), { recursive: true });
      return { run, root, execution, spool, directory: tree.directory };
    },
    claim: (execution: ExecutionId, root: string) => {
      const grant = { binding: { execution, grantId: 'g' }, token: 't' } as never;
      const run = execution.slice(0, -2) as RunId;
      claimsOf(around).write({ version: 1, grant, run, from: null, root, owed: [] });
    },
    /** Everything is so much older. */
    pass: (ms: number) => age(around.home, ms),
    quiet: () => left.quietRuns(keptMs),
  };
}

function age(path: string, ms: number): void {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return;
  if (stat.isDirectory()) for (const name of readdirSync(path)) age(join(path, name), ms);
  const seconds = (stat.mtimeMs - ms) / 1_000;
  utimesSync(path, seconds, seconds);
}

test('a run is quiet when nothing lives, is owed, or was touched for as long as trees stay', async () => {
  const m = await machine();
  const [one, two, three] = [await m.worked(1), await m.worked(2), await m.worked(3)];
  expect(await m.quiet()).toEqual([]);
  m.pass(keptMs + dayMs);
  m.living.add(two.execution);
  m.claim(three.execution, three.root);
  expect(await m.quiet()).toEqual([one.run]);
  expect(await m.left.remove(two.run)).toBe(false);
  expect(await m.left.remove(three.run)).toBe(false);
  expect([two, three].every(({ directory }) => existsSync(directory))).toBe(true);
});

test('what a stranger put among the homes is asked of nobody, and stays', async () => {
  const m = await machine();
  const strange = join(homesDirectory(m.around), 'lost+found');
  mkdirSync(strange, { recursive: true });
  m.pass(keptMs + dayMs);
  expect(await m.quiet()).toEqual([]);
  expect(existsSync(strange)).toBe(true);
});

test('a host that nobody has noted keeps its run as well', async () => {
  const m = await machine();
  const one = await m.worked(1);
  openSpool(one.spool, selfHolder('w-1'), () => true);
  m.pass(keptMs + dayMs);
  expect(await m.quiet()).toEqual([]);
  expect(await m.left.remove(one.run)).toBe(false);
});

test('of a removed run nothing is left, of its neighbour everything; unrecorded work has a ref', async () => {
  const m = await machine();
  const [one, two] = [await m.worked(1), await m.worked(2)];
  await quarantine(one.directory, one.execution);
  expect(await m.left.remove(one.run)).toBe(true);
  const home = (run: RunId) => join(homesDirectory(m.around), run);
  expect([one.directory, one.spool, home(one.run)].filter(existsSync)).toEqual([]);
  const kept = [two.directory, two.spool, home(two.run)];
  expect(kept.filter(existsSync)).toEqual(kept);
  expect(readdirSync(join(one.root, 'refs/pawl/lost'))).toHaveLength(1);
  // Again, as after a pass that was cut off behind this.
  expect(await m.left.remove(one.run)).toBe(true);
});

test('a pass that was cut off between tree and spool is made whole by the next', async () => {
  const m = await machine();
  const one = await m.worked(1);
  await m.left.remove(one.run);
  mkdirSync(join(homesDirectory(m.around), one.run), { recursive: true });
  m.pass(keptMs + dayMs);
  expect(await m.quiet()).toEqual([one.run]);
  await m.left.remove(one.run);
  expect(await m.quiet()).toEqual([]);
});

test('a mirror goes with its check trees once it is unused, and is made again when it is needed', async () => {
  const m = await machine();
  const one = await m.worked(1);
  const { signal } = new AbortController();
  const lease = { root: one.root, commit: m.source.commit, keep: [], slots: 1, signal };
  for (const home of [m.around.home, judgeHome(m.around.home)]) {
    const trees = gitCheckTrees({ home, env: m.around.env, isolated: true });
    await (await trees.lease({ ...lease, submodules: 'off' })).release();
  }
  const pools = () =>
    [m.around.home, judgeHome(m.around.home)].flatMap((home) =>
      readdirSync(join(home, 'check-trees')),
    );
  m.pass(keptMs + dayMs);
  expect(await m.left.removeUnused(keptMs)).toEqual([]);
  await m.left.remove(one.run);
  expect(pools()).toHaveLength(2);
  expect(await m.left.removeUnused(keptMs)).toEqual([one.root]);
  expect([existsSync(one.root), ...pools()]).toEqual([false]);
  expect(await m.left.removeUnused(keptMs)).toEqual([]);
  expect(await m.bring(one.run)).toBe(one.root);
  expect(await m.mirrors.known(m.source.key)).toEqual([m.source.commit]);
});

test('a mirror stays while a claim names it, and from when a commit was brought, new or not', async () => {
  const m = await machine();
  const one = await m.worked(1);
  await m.left.remove(one.run);
  m.pass(keptMs + dayMs);
  m.claim('other.1' as ExecutionId, one.root);
  expect(await m.left.removeUnused(keptMs)).toEqual([]);
  claimsOf(m.around).remove('other.1' as ExecutionId);
  await m.bring(runNumber(2).run);
  expect(await m.left.removeUnused(keptMs)).toEqual([]);
  m.pass(keptMs + dayMs);
  expect(await m.left.removeUnused(keptMs)).toEqual([one.root]);
});

test('what a pass was killed over goes from the trash, and not from under one that works', async () => {
  const m = await machine();
  const aside = join(m.around.home, 'trash', '0a1b2c3d4e5f');
  mkdirSync(join(aside, 'deep'), { recursive: true });
  chmodSync(aside, 0o500);
  await m.left.removeUnused(keptMs);
  expect(existsSync(aside)).toBe(true);
  await m.left.removeUnused(0);
  expect(existsSync(aside)).toBe(false);
});

test('half a mirror that a killed maker left goes like an unused one', async () => {
  const m = await machine();
  const root = await m.bring(runNumber(1).run);
  const half = `${root}.0a1b2c3d4e5f`;
  mkdirSync(half);
  expect(await m.left.removeUnused(keptMs)).toEqual([]);
  age(half, keptMs + dayMs);
  expect(await m.left.removeUnused(keptMs)).toEqual([half]);
  expect(existsSync(root)).toBe(true);
});
