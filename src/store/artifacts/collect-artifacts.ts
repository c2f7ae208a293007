/**
 * Removes artifacts that no row refers to and nobody has put since. What is in hand is first
 * moved aside and looked at again, so that a put or a reference that came in between wins.
 */
import { access, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Digest, Instant } from '../../domain/ids.ts';
import type { ArtifactCollector, Collected, CollectRequest } from '../../ports/collector.ts';
import type { Store } from '../../ports/store.ts';
import { isMissing, places } from './places.ts';

export interface DiskCollectorOptions {
  readonly directory: string;
  readonly store: Pick<Store, 'unreferenced'>;
}

type CollectOptions = DiskCollectorOptions & CollectRequest;

/** The collector of what {@link diskArtifacts} puts into `directory`. */
export function diskCollector(options: DiskCollectorOptions): ArtifactCollector {
  return {
    path: options.directory,
    collect: (request) => collectArtifacts({ ...options, ...request }),
  };
}

const atOnce = 200;
/** Of one call; the next one goes on. */
const filesMax = 20_000;

async function collectArtifacts(options: CollectOptions): Promise<Collected> {
  const { directory, before, signal, dry } = options;
  const place = places(directory);
  if (!dry) {
    await mkdir(place.leaving, { recursive: true, mode: 0o700 });
    await clearOld(place.incoming, before);
    for (const name of await namesIn(place.leaving)) await putBack(directory, name);
  }
  const total = { files: 0, bytes: 0 };
  for (const folder of await namesIn(directory)) {
    if (signal.aborted || total.files >= filesMax) break;
    if (!/^[0-9a-f]{2}$/.test(folder)) continue;
    const removed = await collectFolder(options, folder);
    total.files += removed.files;
    total.bytes += removed.bytes;
  }
  return total;
}

async function collectFolder(options: CollectOptions, folder: string): Promise<Collected> {
  const { store, signal } = options;
  const removed = { files: 0, bytes: 0 };
  const names = await namesIn(join(options.directory, folder));
  for (let from = 0; from < names.length && !signal.aborted; from += atOnce) {
    const old = await oldIn(options, folder, names.slice(from, from + atOnce));
    const orphans = (await store.unreferenced(old)).filter((digest) => !options.keep.has(digest));
    for (const digest of orphans) {
      const bytes = await (options.dry ? sizeOf(options, digest) : remove(options, digest));
      if (bytes === null) continue;
      removed.files += 1;
      removed.bytes += bytes;
    }
  }
  return removed;
}

async function oldIn(
  { directory, before }: CollectOptions,
  folder: string,
  names: readonly string[],
): Promise<readonly Digest[]> {
  const old: Digest[] = [];
  for (const name of names) {
    if (!(await isOld(join(directory, folder, name), before))) continue;
    old.push(`sha256:${folder}${name}` as Digest);
  }
  return old;
}

async function sizeOf({ directory }: CollectOptions, digest: Digest): Promise<number | null> {
  const file = places(directory).file(digest);
  if (file === null) return null;
  try {
    return (await stat(file)).size;
  } catch (error: unknown) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Its size; null when it was put or referred to after all, and so stays. */
async function remove(options: CollectOptions, digest: Digest): Promise<number | null> {
  const { directory, store, before } = options;
  const place = places(directory);
  const file = place.file(digest);
  if (file === null) return null;
  const name = digest.slice('sha256:'.length);
  const aside = join(place.leaving, name);
  try {
    await rename(file, aside);
    const { size } = await stat(aside);
    const unwanted =
      (await isOld(aside, before)) && (await store.unreferenced([digest])).length > 0;
    if (unwanted) {
      await rm(aside);
      return size;
    }
    await putBack(directory, name);
  } catch (error: unknown) {
    // Another collector has it in hand.
    if (!isMissing(error)) throw error;
  }
  return null;
}

/** To its place, unless a put has filled it anew. */
async function putBack(directory: string, name: string): Promise<void> {
  const place = places(directory);
  const file = place.file(`sha256:${name}`);
  const aside = join(place.leaving, name);
  if (file === null || (await isThere(file))) await rm(aside, { force: true });
  else await rename(aside, file);
}

async function clearOld(folder: string, before: Instant): Promise<void> {
  for (const name of await namesIn(folder)) {
    const file = join(folder, name);
    if (await isOld(file, before)) await rm(file, { force: true });
  }
}

async function isOld(file: string, before: Instant): Promise<boolean> {
  try {
    return (await stat(file)).mtimeMs < before;
  } catch (error: unknown) {
    if (isMissing(error)) return false;
    throw error;
  }
}

async function isThere(file: string): Promise<boolean> {
  try {
    await access(file);
    return true;
  } catch (error: unknown) {
    if (isMissing(error)) return false;
    throw error;
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error: unknown) {
    if (isMissing(error)) return [];
    throw error;
  }
}
