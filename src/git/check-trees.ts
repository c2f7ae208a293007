/**
 * The runtime's own trees: a pool of clones per repository, leased by owner files, brought to a
 * commit exactly. What checks run in them may be an agent's code, so git's own files are put back
 * before each lease: index and configuration from copies outside the tree, hooks and info emptied.
 */
import { mkdir, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { WorldError } from '../kernel/errors.ts';
import type { Commit } from '../ports/words.ts';
import type { CheckTree, CheckTreeRequest, CheckTrees } from '../ports/workspace.ts';
import { bringTo, type Slot } from './check-slot.ts';
import { unique } from './files.ts';
import { statusOf } from './inspect.ts';
import { type Held, tryLock, waitFor } from './lock.ts';
import { moveAside } from './move-aside.ts';
import { type Checked, namesOf, toolFolder } from './own-index.ts';
import { heldTo, prove } from './proof.ts';
import {
  needRepository,
  type Place,
  placeOf,
  poolPath,
  type Repository,
  treeIdOf,
} from './repository.ts';
import { restoreTo } from './restore.ts';

export interface GitCheckTreesOptions {
  /** `$PAWL_HOME`: the pool is `check-trees/` below it. */
  readonly home: string;
  /** As in `gitWorkspace`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** See {@link PlaceOptions}. */
  readonly isolated?: boolean;
}

const leaseMs = 24 * 3_600_000;
const blobBytesMax = 64 * 1024 * 1024;

/** The runtime's own trees; see {@link CheckTrees}. */
export function gitCheckTrees(options: GitCheckTreesOptions): CheckTrees {
  const place = placeOf(options);
  return {
    lease: (request) => lease(place, request),
    ignoredPaths: async (directory) => (await unversioned(place, directory)).ignored,
    changedPaths: async (directory) => (await unversioned(place, directory)).changed,
    strayPaths: async (directory) => (await unversioned(place, directory)).stray,
    restore: async (directory, base, globs) =>
      restoreTo(place, await checkedAt(place, directory), base, globs),
    show: (root, commit, path) => show(place, root, { commit, path }),
    list: (root, commit) => list(place, root, commit),
    treeOf: (root, commit) => treeIdOf(place, commit, { cwd: root }),
    cleanLaneTree: (directory, commit) => cleanLaneTree(place, directory, commit),
  };
}

const envOf = (directory: string) => ({ env: heldTo(directory).env ?? {} });

/** What lies in a tree and in no commit, parted into what belongs in none and what could. */
async function unversioned(place: Place, directory: string) {
  const status = await statusOf(place, directory, { ignored: true, ...envOf(directory) });
  const ignored: string[] = [];
  const stray: string[] = [];
  const changed: string[] = [];
  for (const { code, path } of status) {
    if (code === '!!' || (code === '??' && toolFolder(path) === path)) ignored.push(path);
    else if (code === '??') stray.push(path);
    else changed.push(path);
  }
  const tidy = (paths: readonly string[]) => paths.map((path) => path.replace(/\/$/, '')).sort();
  return { ignored: tidy(ignored), stray: tidy(stray), changed: tidy(changed) };
}

async function lease(place: Place, request: CheckTreeRequest): Promise<CheckTree> {
  const source = await needRepository(place, request.root);
  const pool = await poolOf(place, source);
  const taken = await waitFor(() => takeSlot(pool, request.slots), {
    waitMs: leaseMs,
    signal: request.signal,
  });
  if (taken === null) {
    throw new WorldError('workspace_busy', 'no check tree became free before it was called off');
  }
  try {
    const emptySubmodules = await bringTo(place, { slot: taken.slot, source, request });
    const { directory } = taken.slot;
    return { directory, emptySubmodules, release: () => taken.held.release() };
  } catch (error: unknown) {
    await taken.held.release();
    throw error;
  }
}

async function poolOf(place: Place, source: Repository): Promise<string> {
  const pool = await poolPath(place, source);
  await mkdir(pool, { recursive: true, mode: 0o700 });
  return realpath(pool);
}

/** The first free one; one whose holder died is free. */
async function takeSlot(
  pool: string,
  slots: number,
): Promise<{ readonly slot: Slot; readonly held: Held } | null> {
  for (let n = 1; n <= slots; n += 1) {
    const held = await tryLock(join(pool, `${n}.owner`));
    if (held === null) continue;
    const kept = join(pool, `${n}.kept`);
    return { held, slot: { directory: join(pool, `${n}`), kept } };
  }
  return null;
}

async function checkedAt(place: Place, directory: string): Promise<Checked> {
  const real = await realpath(directory);
  const { gitDir } = await needRepository(place, real);
  return { directory: real, gitDir, call: heldTo(real) };
}

async function show(
  place: Place,
  root: string,
  what: { readonly commit: Commit; readonly path: string },
): Promise<Uint8Array | null> {
  const answer = await place.git.run(['cat-file', 'blob', `${what.commit}:${what.path}`], {
    cwd: root,
    accept: [128],
    outputBytesMax: blobBytesMax,
  });
  return answer.exit === 0 ? answer.bytes : null;
}

async function list(
  place: Place,
  root: string,
  commit: Commit,
): Promise<ReadonlyMap<string, string>> {
  const lines = await namesOf(place, ['ls-tree', '-r', '-z', '--full-tree', commit], { cwd: root });
  return new Map(
    lines.map((line) => {
      const tab = line.indexOf('\t');
      return [line.slice(tab + 1), line.slice(0, tab).split(' ')[2] ?? ''] as const;
    }),
  );
}

/**
 * Only a run's own tree, proven. Untracked files are the ones that no snapshot took (too large, a
 * nested repository), so they are moved aside and not deleted.
 */
async function cleanLaneTree(place: Place, directory: string, commit: Commit): Promise<void> {
  const proven = await prove(place, { directory });
  await place.git.run(['read-tree', '--reset', '-u', commit], proven.call);
  const untracked = await namesOf(
    place,
    ['ls-files', '-o', '--exclude-standard', '--directory', '--no-empty-directory', '-z'],
    proven.call,
  );
  if (untracked.length === 0) return;
  const name = `${basename(dirname(proven.directory))}-${basename(proven.directory)}-${unique()}`;
  await moveAside(proven.directory, untracked, join(place.home, 'lost', name));
}
