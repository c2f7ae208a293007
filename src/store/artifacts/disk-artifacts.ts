/**
 * Artifacts as files named by the sha256 of their bytes, in folders by its first two digits.
 *
 * Invariants:
 *   A1. A file in its place is whole: it is written beside, synced, then renamed.
 *   A2. `put` answers when file and folder are on the disk; its touch keeps the collector away.
 *   A3. `get` gives the bytes that the digest names, or none.
 */
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Digest } from '../../domain/ids.ts';
import { WorldError } from '../../kernel/errors.ts';
import type { ArtifactStore } from '../../ports/artifacts.ts';
import { chunkBytes, chunksOf, damaged, digestOfBytes, expectSize, verified } from './chunks.ts';
import { isMissing, type Places, places, syncFolder } from './places.ts';

export interface DiskArtifactsOptions {
  /** Made with mode 0700 when it is not there. */
  readonly directory: string;
}

/**
 * Usable by many processes at once on one folder. Its calls throw WorldError: `disk_full`,
 * `store_unusable` when the disk refuses otherwise, `artifact_damaged` when bytes are not what was
 * stored.
 */
export function diskArtifacts({ directory }: DiskArtifactsOptions): ArtifactStore {
  const place = places(directory);
  return {
    put: async (content) => {
      const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
      expectSize(bytes.byteLength);
      const digest = digestOfBytes(bytes);
      const file = fileOf(place, digest);
      await unlessRefused(digest, async () => {
        if (!(await touch(file, bytes.byteLength))) await write(place, file, bytes);
        await syncFolder(dirname(file));
      });
      return digest;
    },
    putParts: (parts) => putParts(place, parts),
    get: async (digest) => {
      const file = place.file(digest);
      if (file === null) return null;
      const bytes = await unlessRefused(digest, () => readIfThere(file));
      if (bytes !== null && digestOfBytes(bytes) !== digest) throw damaged(digest);
      return bytes;
    },
    parts: async (digest) => {
      const file = place.file(digest);
      const size = file === null ? null : await unlessRefused(digest, () => sizeIfThere(file));
      if (file === null || size === null) return null;
      return { size, bytes: verified(digest, size, chunksIn(file, digest)) };
    },
  };
}

function fileOf(place: Places, digest: Digest): string {
  const file = place.file(digest);
  if (file === null) throw damaged(digest);
  return file;
}

async function putParts(place: Places, parts: AsyncIterable<Uint8Array>): Promise<Digest> {
  const guard = <T>(action: () => Promise<T>) => unlessRefused('that comes in', action);
  const unfinished = await guard(() => unfinishedIn(place));
  try {
    const handle = await guard(() => open(unfinished, 'wx', 0o600));
    const seen = createHash('sha256');
    let size = 0;
    try {
      for await (const chunk of chunksOf(parts)) {
        size += chunk.byteLength;
        expectSize(size);
        seen.update(chunk);
        await guard(() => handle.writeFile(chunk));
      }
      await guard(() => handle.sync());
    } finally {
      await handle.close();
    }
    const digest = `sha256:${seen.digest('hex')}` as Digest;
    const file = fileOf(place, digest);
    await guard(async () => {
      if (!(await touch(file, size))) await moveIn(unfinished, file);
      await syncFolder(dirname(file));
    });
    return digest;
  } finally {
    await rm(unfinished, { force: true });
  }
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

async function unfinishedIn({ incoming }: Places): Promise<string> {
  await mkdir(incoming, { recursive: true, mode: 0o700 });
  return join(incoming, randomBytes(12).toString('hex'));
}

async function write(place: Places, file: string, bytes: Uint8Array): Promise<void> {
  const unfinished = await unfinishedIn(place);
  try {
    const handle = await open(unfinished, 'wx', 0o600);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await moveIn(unfinished, file);
  } catch (error: unknown) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

async function moveIn(unfinished: string, file: string): Promise<void> {
  if ((await mkdir(dirname(file), { recursive: true, mode: 0o700 })) !== undefined) {
    await syncFolder(dirname(dirname(file)));
  }
  await rename(unfinished, file);
}

async function sizeIfThere(file: string): Promise<number | null> {
  try {
    return (await stat(file)).size;
  } catch (error: unknown) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Opened when it is read, and closed at the end or when its reader goes away. */
async function* chunksIn(file: string, digest: Digest): AsyncGenerator<Uint8Array> {
  const handle = await unlessRefused(digest, () => open(file, 'r'));
  try {
    for (;;) {
      const chunk = Buffer.alloc(chunkBytes);
      const { bytesRead } = await unlessRefused(digest, () => handle.read(chunk, 0, chunkBytes));
      if (bytesRead === 0) return;
      yield chunk.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
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
