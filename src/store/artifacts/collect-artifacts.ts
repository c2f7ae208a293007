/**
 * Removes artifacts that nobody refers to and nobody has put for a day. What is in hand is first
 * moved aside and looked at again, so that a put or a reference that came in between wins.
 */
import { access, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Digest, Instant } from '../../domain/ids.ts';
import type { Store } from '../../ports/store.ts';
import { isMissing, places } from './places.ts';

export interface CollectOptions {
  readonly directory: string;
  readonly store: Pick<Store, 'unreferenced'>;
  readonly now: Instant;
}

/** How long an artifact is kept that no row refers to yet: a writer puts first, refers after. */
export const untouchedMs = 24 * 3_600_000;

const atOnce = 200;

/** Safe while others put and refer; what it cannot finish, the next collection does. */
export async function collectArtifacts(
  options: CollectOptions,
): Promise<{ readonly files: number; readonly bytes: number }> {
  const place = places(options.directory);
  await mkdir(place.leaving, { recursive: true, mode: 0o700 });
  await clearOld(place.incoming, options.now);
  for (const name of await namesIn(place.leaving)) await putBack(options.directory, name);
  const total = { files: 0, bytes: 0 };
  for (const folder of await namesIn(options.directory)) {
    if (!/^[0-9a-f]{2}$/.test(folder)) continue;
    const removed = await collectFolder(options, folder);
    total.files += removed.files;
    total.bytes += removed.bytes;
  }
  return total;
}

async function collectFolder(
  options: CollectOptions,
  folder: string,
): Promise<{ readonly files: number; readonly bytes: number }> {
  const removed = { files: 0, bytes: 0 };
  const names = await namesIn(join(options.directory, folder));
  for (let from = 0; from < names.length; from += atOnce) {
    const old: Digest[] = [];
    for (const name of names.slice(from, from + atOnce)) {
      if (await isOld(join(options.directory, folder, name), options.now)) {
        old.push(`sha256:${folder}${name}` as Digest);
      }
    }
    for (const digest of await options.store.unreferenced(old)) {
      const bytes = await remove(options, digest);
      if (bytes === null) continue;
      removed.files += 1;
      removed.bytes += bytes;
    }
  }
  return removed;
}

/** Its size; null when it was put or referred to after all, and so stays. */
async function remove(options: CollectOptions, digest: Digest): Promise<number | null> {
  const { directory, store, now } = options;
  const place = places(directory);
  const file = place.file(digest);
  if (file === null) return null;
  const name = digest.slice('sha256:'.length);
  const aside = join(place.leaving, name);
  try {
    await rename(file, aside);
    const { size } = await stat(aside);
    const unwanted = (await isOld(aside, now)) && (await store.unreferenced([digest])).length > 0;
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

async function clearOld(folder: string, now: Instant): Promise<void> {
  for (const name of await namesIn(folder)) {
    const file = join(folder, name);
    if (await isOld(file, now)) await rm(file, { force: true });
  }
}

async function isOld(file: string, now: Instant): Promise<boolean> {
  try {
    return (await stat(file)).mtimeMs < now - untouchedMs;
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
