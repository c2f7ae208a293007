/**
 * Fills the submodules of a tree of ours. Each becomes a repository of its own inside the tree,
 * cloned from what the user's checkout has already, so nothing depends on `core.worktree` or on
 * per-work-tree configuration, and the user's configuration is not written. Only a submodule that
 * is active but not there is asked of its own address, under the user's own protocol rules.
 */
import { mkdir, realpath, rename } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { WorldError } from '../kernel/errors.ts';
import type { Commit } from '../ports/words.ts';
import { cleanArgs } from './clean.ts';
import { cloneRepository, ensureCommit } from './clone.ts';
import { exists, realpathOf, removeTree, statOf, unique } from './files.ts';
import { boundTo, heldTo } from './proof.ts';
import { commitOf, type Place, repositoryAt } from './repository.ts';

export interface SubmoduleRequest {
  /** The user's checkout (or, one level down, a submodule of it). */
  readonly root: string;
  readonly directory: string;
  readonly mode: 'auto' | 'on' | 'off';
  /** Monotonic instant after which nothing more is tried. */
  readonly untilMs: number;
  readonly depth?: number;
  /** Set for a tree that must hold nothing else: untracked and ignored files go, but for these. */
  readonly cleanBut?: readonly string[];
}

/** What a tree's index links to. */
export interface Submodule {
  readonly path: string;
  readonly commit: Commit;
  readonly name: string | null;
  readonly url: string | null;
}

/** How a note ends about one that is empty in the user's checkout as well. */
export const notInitialised = 'not initialised in the checkout';

export const depthMax = 5;
export const submodulesMs = 120_000;

/**
 * What was left empty and why, one line each.
 * @throws WorldError `workspace_failed` with mode `on` when one cannot be filled.
 */
export async function fillSubmodules(
  place: Place,
  request: SubmoduleRequest,
): Promise<readonly string[]> {
  const depth = request.depth ?? 0;
  if (request.mode === 'off' || depth >= depthMax) return [];
  const notes: string[] = [];
  for (const submodule of await submodulesOf(place, request.directory)) {
    const note = await fillOne(place, request, submodule);
    if (note !== null && request.mode === 'on') {
      throw new WorldError('workspace_failed', note, { where: submodule.path });
    }
    if (note !== null) {
      notes.push(note);
      continue;
    }
    const inner = {
      ...request,
      root: join(request.root, submodule.path),
      directory: join(request.directory, submodule.path),
      depth: depth + 1,
      ...(request.cleanBut === undefined ? {} : { cleanBut: below(request.cleanBut, submodule) }),
    };
    notes.push(...(await fillSubmodules(place, inner)));
  }
  return notes;
}

/** None where `.gitmodules` is not there. */
export async function submodulesOf(place: Place, directory: string): Promise<readonly Submodule[]> {
  if (!(await exists(join(directory, '.gitmodules')))) return [];
  const call = heldTo(directory);
  const links = (await place.git.list(['ls-files', '-s', '-z'], call)).filter((line) =>
    line.startsWith('160000 '),
  );
  const declared = await declaredIn(place, directory);
  return links.map((line) => {
    const path = line.slice(line.indexOf('\t') + 1);
    const entry = [...declared].find(([, values]) => values.get('path') === path);
    return {
      path,
      commit: (line.split(' ')[1] ?? '') as Commit,
      name: entry?.[0] ?? null,
      url: entry?.[1].get('url') ?? null,
    };
  });
}

/** Name → key → value of `.gitmodules`. */
async function declaredIn(
  place: Place,
  directory: string,
): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> {
  const found = await place.git.run(
    ['config', '-z', '-f', '.gitmodules', '--get-regexp', '^submodule\\..*\\.(path|url)$'],
    { ...heldTo(directory), accept: [1] },
  );
  const names = new Map<string, Map<string, string>>();
  for (const entry of found.bytes.toString('utf8').split('\0')) {
    const [, name, key, value] = /^submodule\.(.+)\.(path|url)\n([\s\S]*)$/.exec(entry) ?? [];
    if (name === undefined || key === undefined || value === undefined) continue;
    const values = names.get(name) ?? new Map<string, string>();
    names.set(name, values.set(key, value));
  }
  return names;
}

/** Null when it is there at its commit; else why not. */
async function fillOne(
  place: Place,
  request: SubmoduleRequest,
  submodule: Submodule,
): Promise<string | null> {
  const directory = join(request.directory, submodule.path);
  const leftMs = request.untilMs - performance.now();
  if (leftMs <= 0) return `submodule ${submodule.path}: no time left to fill it`;
  if (!(await isPlainFolder(request.directory, directory))) {
    return `submodule ${submodule.path}: a link or a file is in its place`;
  }
  try {
    // What ran in a check tree may have bent the repository in it, so there it is made anew.
    if (request.cleanBut !== undefined) await removeTree(join(directory, '.git'), trashOf(place));
    if ((await statOf(join(directory, '.git'))) === null) {
      const note = await cloneOne(place, request, submodule);
      if (note !== null) return note;
    }
    return await checkoutOne(place, request, submodule);
  } catch (error: unknown) {
    if (!(error instanceof WorldError) || error.code === 'disk_full') throw error;
    return `submodule ${submodule.path}: ${error.message}`;
  }
}

/** Links on the way could lead to the user's own checkout. */
export async function isPlainFolder(tree: string, directory: string): Promise<boolean> {
  const real = await realpathOf(directory);
  return real === null
    ? !(await exists(directory))
    : real === join(await realpath(tree), relative(tree, directory));
}

const trashOf = (place: Place): string => join(place.home, 'trash');

/** Cloned beside and moved in, since the folder may hold files that are kept. */
async function cloneOne(
  place: Place,
  request: SubmoduleRequest,
  submodule: Submodule,
): Promise<string | null> {
  const beside = join(place.home, 'tmp', unique());
  await mkdir(join(place.home, 'tmp'), { recursive: true, mode: 0o700 });
  try {
    const note = await cloneBeside(place, request, submodule, beside);
    if (note !== null) return note;
    const directory = join(request.directory, submodule.path);
    await mkdir(directory, { recursive: true });
    await rename(join(beside, '.git'), join(directory, '.git'));
    return null;
  } finally {
    await removeTree(beside, trashOf(place));
  }
}

async function cloneBeside(
  place: Place,
  request: SubmoduleRequest,
  submodule: Submodule,
  beside: string,
): Promise<string | null> {
  const source = await sourceOf(place, request.root, submodule);
  if (source !== null) {
    await cloneRepository(place, source, beside);
    return null;
  }
  const active = await activeUrl(place, request.root, submodule);
  const url = request.mode === 'on' ? (active ?? submodule.url) : active;
  if (url === null) return `submodule ${submodule.path}: ${notInitialised}`;
  const full = await absoluteUrl(place, request.root, url);
  await place.git.run(['clone', '--no-checkout', '--template=', '-q', '--', full, beside], {
    cwd: request.directory,
    env: { GIT_PROTOCOL_FROM_USER: '0' },
    deadlineMs: Math.max(1, Math.min(request.untilMs - performance.now(), submodulesMs / 2)),
  });
  return null;
}

/** Those of a checkout that are filled there. A bare repository has none. */
export async function filledSubmodules(place: Place, root: string): Promise<readonly Submodule[]> {
  const filled: Submodule[] = [];
  for (const submodule of await submodulesOf(place, root)) {
    if (await exists(join(root, submodule.path, '.git'))) filled.push(submodule);
  }
  return filled;
}

/** The git directory of the submodule in the user's checkout, or kept from an earlier checkout. */
export async function sourceOf(
  place: Place,
  root: string,
  submodule: Submodule,
): Promise<string | null> {
  const checkout = join(root, submodule.path);
  if (await exists(join(checkout, '.git'))) {
    const there = await repositoryAt(place, checkout);
    if (there !== null) return there.commonDir;
  }
  const above = await repositoryAt(place, root);
  if (above === null || submodule.name === null) return null;
  const kept = join(above.commonDir, 'modules', submodule.name);
  if (await exists(join(kept, 'HEAD'))) return kept;
  // A run keeps commits there that have no repository of their own (submodule-work.ts).
  const call = { cwd: above.commonDir, env: { GIT_DIR: above.commonDir } };
  const isThere = (await commitOf(place, submodule.commit, call)) === submodule.commit;
  return isThere ? above.commonDir : null;
}

async function activeUrl(place: Place, root: string, submodule: Submodule): Promise<string | null> {
  if (submodule.name === null) return null;
  return place.git.maybe(['config', '--get', `submodule.${submodule.name}.url`], { cwd: root });
}

/** `../other.git` is meant relative to the address that the repository itself came from. */
async function absoluteUrl(place: Place, root: string, url: string): Promise<string> {
  const origin = await place.git.maybe(['config', '--get', 'remote.origin.url'], { cwd: root });
  return urlFrom(origin ?? root, url);
}

/** The address of a submodule in a repository that came from `origin`. */
export function urlFrom(origin: string, url: string): string {
  if (!/^\.\.?\//.test(url)) return url;
  const base = origin.replace(/\/+$/, '').split('/');
  for (const part of url.split('/')) {
    if (part === '..') base.pop();
    else if (part !== '.') base.push(part);
  }
  return base.join('/');
}

async function checkoutOne(
  place: Place,
  request: SubmoduleRequest,
  submodule: Submodule,
): Promise<string | null> {
  const directory = join(request.directory, submodule.path);
  const call = boundTo(directory);
  if ((await commitOf(place, submodule.commit, call)) === null) {
    const source = await sourceOf(place, request.root, submodule);
    if (source === null) return `submodule ${submodule.path}: ${submodule.commit} is not there`;
    await ensureCommit(place, { into: directory, from: source, commit: submodule.commit });
  }
  await place.git.run(['checkout', '-q', '-f', '--detach', submodule.commit], call);
  if (request.cleanBut !== undefined) {
    await place.git.run(cleanArgs(below(request.cleanBut, submodule)), call);
  }
  return null;
}

/** Paths inside the submodule, as seen from there. */
function below(paths: readonly string[], submodule: Submodule): readonly string[] {
  const inside = `${submodule.path}/`;
  return paths.filter((path) => path.startsWith(inside)).map((path) => path.slice(inside.length));
}
