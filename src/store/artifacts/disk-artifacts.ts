/**
 * Artifacts as files named by the sha256 of their bytes, in folders by its first two digits.
 *
 * Invariants:
 *   A1. A file in its place is whole: it is written beside, synced, then renamed.
 *   A2. `put` answers when file and folder are on the disk; its touch keeps the collector away.
 *   A3. `get` gives the bytes that the digest names, or none.
 */
import { hash, randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Digest } from '../../domain/ids.ts';
import { WorldError } from '../../kernel/errors.ts';
import type { Artifacts } from '../../ports/artifacts.ts';
import { isMissing, places, syncFolder } from './places.ts';

export interface DiskArtifactsOptions {
  /** Made with mode 0700 when it is not there. */
  readonly directory: string;
}

/**
 * Usable by many processes at once on one folder. Both calls throw WorldError: `disk_full`,
 * `store_unusable` when the disk refuses otherwise, `artifact_damaged` when bytes are not what was
 * stored.
 */
export function diskArtifacts({ directory }: DiskArtifactsOptions): Artifacts {
  const place = places(directory);
  return {
    put: async (content) => {
      const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
      const digest = `sha256:${hash('sha256', bytes, 'hex')}` as Digest;
      const file = place.file(digest);
      if (file === null) throw damaged(digest);
      await unlessRefused(digest, async () => {
        if (!(await touch(file, bytes.byteLength))) await write(place.incoming, file, bytes);
        await syncFolder(dirname(file));
      });
      return digest;
    },
    get: async (digest) => {
      const file = place.file(digest);
      if (file === null) return null;
      const bytes = await unlessRefused(digest, () => readIfThere(file));
      if (bytes !== null && `sha256:${hash('sha256', bytes, 'hex')}` !== digest)
        throw damaged(digest);
      return bytes;
    },
  };
}

/** True when the file is there, whole by its size; its age is then counted anew. */
async function touch(file: string, bytes: number): Promise<boolean> {
  try {
    const now = new Date();
    await utimes(file, now, now);
    // Looked at after the touch: a collector that had it in hand sees the touch and lets go.
    return (await stat(file)).size === bytes;
  } catch (error: unknown) {
    if (isMissing(error)) return false;
    throw error;
  }
}

async function write(incoming: string, file: string, bytes: Uint8Array): Promise<void> {
  await mkdir(incoming, { recursive: true, mode: 0o700 });
  if ((await mkdir(dirname(file), { recursive: true, mode: 0o700 })) !== undefined) {
    await syncFolder(dirname(dirname(file)));
  }
  const unfinished = join(incoming, randomBytes(12).toString('hex'));
  try {
    const handle = await open(unfinished, 'wx', 0o600);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(unfinished, file);
  } catch (error: unknown) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

async function readIfThere(file: string): Promise<Uint8Array | null> {
  try {
    return await readFile(file);
  } catch (error: unknown) {
    if (isMissing(error)) return null;
    throw error;
  }
}

async function unlessRefused<T>(digest: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error: unknown) {
    const said = error instanceof Error ? error.message : String(error);
    const isFull = error instanceof Error && 'code' in error && full.has(String(error.code));
    throw new WorldError(
      isFull ? 'disk_full' : 'store_unusable',
      `artifact ${digest}: ${said}`,
      {},
      error,
    );
  }
}

/** No space, or no more of it for this user. */
const full = new Set(['ENOSPC', 'EDQUOT']);

const damaged = (digest: string): WorldError =>
  new WorldError('artifact_damaged', `the stored bytes of ${digest} are not those it names`);
