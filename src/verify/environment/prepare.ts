/**
 * Gets the prepared environment of a commit: from the shelf, or by running setup once in a fresh
 * check tree. Two that want the same key at once run setup once.
 */
import { join } from 'node:path';
import type { Commit } from '../../domain/ids.ts';
import type { CheckJob } from '../job.ts';
import type { SetupFailure } from '../place.ts';
import type { CommandRun } from '../run-command.ts';
import { bounded } from '../summary.ts';
import { bringCopies } from './copies.ts';
import { environmentKey } from './key.ts';
import { manifestOf } from './manifest.ts';
import { areDependencies, isRelocatable } from './relocatable.ts';
import { runSetup, toolVersions } from './setup.ts';
import type { ShelfEntry } from './shelf.ts';
import { isCache } from './walk.ts';

export interface Environment {
  readonly key: string;
  readonly tools: readonly string[];
  readonly entry: ShelfEntry;
}
export type Obtained = { readonly ok: true; readonly environment: Environment } | SetupFailure;

const putBackMax = 20;

/** Null when the definition has no setup. */
export async function keyOf(
  job: CheckJob,
  commit: Commit,
): Promise<{ readonly key: string; readonly tools: readonly string[] } | null> {
  const { definition } = job.request;
  if (definition.workspace.setup === null) return null;
  const tools = await toolVersions(job);
  const input = { definition, commit, tools, copies: job.copies.digests };
  return { key: await environmentKey(job.settings.trees, input), tools };
}

export async function obtain(
  job: CheckJob,
  commit: Commit,
  known: { readonly key: string; readonly tools: readonly string[] },
): Promise<Obtained> {
  const { definition, signal } = job.request;
  const tree = await job.settings.trees.treeOf(definition.project.root, commit);
  // What setup built of the sources lies under the tree's own id, dependencies under the key's.
  const ids = [`${known.key}-${tree.slice(0, 16)}`, known.key] as const;
  const found = job.shelf.find(ids);
  if (found !== null) return { ok: true, environment: { ...known, entry: found } };
  const waitMs = 60_000 + (definition.workspace.setup?.timeoutMs ?? 0);
  const lock = join(job.settings.home, 'environments', '.locks', `${known.key}.setup`);
  return job.locks.hold(lock, { waitMs, signal }, async () => {
    const made = job.shelf.find(ids);
    if (made !== null) return { ok: true, environment: { ...known, entry: made } };
    return makeEnvironment(job, commit, { ...known, ids });
  });
}

async function makeEnvironment(
  job: CheckJob,
  commit: Commit,
  known: {
    readonly key: string;
    readonly tools: readonly string[];
    readonly ids: readonly [perTree: string, perKey: string];
  },
): Promise<Obtained> {
  const { trees, slots } = job.settings;
  const { project, workspace } = job.request.definition;
  const tree = await trees.lease({
    root: project.root,
    commit,
    keep: [],
    submodules: workspace.submodules,
    slots,
    signal: job.request.signal,
  });
  try {
    bringCopies(project.root, tree.directory, job.copies);
    const done = await runSetup(job, tree.directory, known.key);
    if (!done.ok) return done;
    const stray = await trees.strayPaths(tree.directory);
    if (stray.length > 0) return strayed(job, known.key, { run: done.run, stray });
    const changed = (await trees.changedPaths(tree.directory)).slice(0, putBackMax);
    if (changed.length > 0) {
      job.request.progress(`setup changed tracked files, put back: ${changed.join(', ')}`);
    }
    const ignored = await trees.ignoredPaths(tree.directory);
    const copied = new Set(job.copies.paths);
    const paths = ignored.map(trimmed).filter((path) => !isCache(path) && !copied.has(path));
    const relocatable = await isRelocatable(tree.directory, paths);
    const [perTree, perKey] = known.ids;
    const id = areDependencies(paths) ? perKey : perTree;
    if (!relocatable) {
      const manifest = await manifestOf(tree.directory, paths);
      job.notes.write(tree.directory, { id, how: 'setup', paths, manifest });
    }
    const told = changed.length === 0 ? {} : { changed };
    const facts = { id, paths, relocatable, setupMs: done.run.durationMs, ...told };
    const entry = await job.shelf.adopt(facts, tree.directory);
    return { ok: true, environment: { key: known.key, tools: known.tools, entry } };
  } finally {
    await tree.release();
  }
}

/**
 * What setup makes is told from work by git's ignore rules. A file that they do not name would be
 * missing in every check and be taken for work in the lane's tree, so it is refused, not lost.
 */
function strayed(
  job: CheckJob,
  key: string,
  made: { readonly run: CommandRun; readonly stray: readonly string[] },
): SetupFailure {
  const command = bounded(job.request.definition.workspace.setup?.command ?? '', 40);
  const named = made.stray.slice(0, 3).map((path) => bounded(path, 30));
  const more = made.stray.length - named.length;
  const paths = more > 0 ? `${named.join(', ')}, ${more} more` : named.join(', ');
  const message = `setup "${command}" made files that git does not ignore, so no check would have \
them: ${paths} (commit a .gitignore that names them)`;
  return { ok: false, key, run: made.run, message };
}

function trimmed(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path;
}
