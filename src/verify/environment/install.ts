/**
 * Makes a leased tree's prepared paths exactly what setup left: nothing to do when the manifest
 * still holds, else they are brought again from the shelf, else setup runs in the tree itself.
 */
import { join } from 'node:path';
import { WorldError } from '../../kernel/errors.ts';
import type { CheckJob } from '../job.ts';
import type { EnvironmentFacts } from '../place.ts';
import type { Installed } from './installed.ts';
import { differences, type Manifest, manifestOf } from './manifest.ts';
import { runSetup } from './setup.ts';
import type { ShelfEntry } from './shelf.ts';
import { removePaths, transfer } from './transfer.ts';

export interface Installation {
  readonly how: EnvironmentFacts['how'];
  /** Paths that were not as setup left them, although this environment stood here; at most five. */
  readonly differing: readonly string[];
}

export async function install(
  job: CheckJob,
  entry: ShelfEntry,
  tree: string,
): Promise<Installation> {
  const note = job.notes.read(tree);
  const own = note?.id === entry.id ? note : null;
  const caches: string[] = [];
  const now = await manifestOf(tree, entry.paths, (path) => caches.push(path));
  await removePaths(tree, caches);
  const expected = own === null ? null : expectedManifest(job, own);
  if (own !== null && expected === now) return { how: own.how, differing: [] };
  const differing = expected === null ? [] : differences(expected, now);
  if (!entry.relocatable) return { how: await setupHere(job, entry, tree), differing };
  const lock = join(job.settings.home, 'environments', '.locks', `${entry.id}.link`);
  const wait = { waitMs: 300_000, signal: job.request.signal };
  return job.locks.hold(lock, wait, () => bring(job, entry, { tree, own, now, differing }));
}

function expectedManifest(job: CheckJob, note: Installed): Manifest | null {
  return note.how === 'hardlink' ? job.shelf.manifest(note.id) : note.manifest;
}

async function bring(
  job: CheckJob,
  entry: ShelfEntry,
  state: {
    readonly tree: string;
    readonly own: Installed | null;
    readonly now: Manifest;
    readonly differing: readonly string[];
  },
): Promise<Installation> {
  const { tree, own } = state;
  const spoiled = await job.shelf.prove(entry);
  if (spoiled.length > 0) {
    // A write through a hard link reached the shelf: nothing made of it may be used again.
    await job.shelf.discard(entry.id);
    return { how: await setupHere(job, entry, tree), differing: spoiled };
  }
  if (own?.how === 'hardlink' && job.shelf.manifest(entry.id) === state.now) {
    // Another tree was linked or unlinked, which moves ctimes; the contents have just been proven.
    return { how: 'hardlink', differing: [] };
  }
  const from = job.shelf.treeOf(entry.id);
  job.notes.forget(tree);
  const how = await transfer({ from, to: tree, paths: entry.paths }, [
    'reflink',
    'hardlink',
    'copy',
  ]);
  if (how === null) return { how: await setupHere(job, entry, tree), differing: state.differing };
  if (how === 'hardlink') await job.shelf.prove(entry);
  const manifest = how === 'hardlink' ? null : await manifestOf(tree, entry.paths);
  job.notes.write(tree, { id: entry.id, how, paths: entry.paths, manifest });
  return { how, differing: state.differing };
}

async function setupHere(job: CheckJob, entry: ShelfEntry, tree: string): Promise<'setup'> {
  job.notes.forget(tree);
  await removePaths(tree, entry.paths);
  const done = await runSetup(job, tree, null);
  if (!done.ok) throw new WorldError('setup_failed', done.message);
  const manifest = await manifestOf(tree, entry.paths);
  job.notes.write(tree, { id: entry.id, how: 'setup', paths: entry.paths, manifest });
  return 'setup';
}
