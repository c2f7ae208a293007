/** Bytes as chunks of one size, whatever the parts in which they come. */
import { createHash, hash } from 'node:crypto';
import type { Digest } from '../../domain/ids.ts';
import { WorldError } from '../../kernel/errors.ts';
import { artifactBytesMax } from '../../ports/artifacts.ts';

/** What is held of an artifact at a time. */
export const chunkBytes = 512 * 1024;

/** Each of {@link chunkBytes} but the last, which may be shorter; none of no bytes. */
export async function* chunksOf(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = [];
  let size = 0;
  for await (const part of parts) {
    for (let from = 0; from < part.byteLength; ) {
      const piece = part.subarray(from, from + chunkBytes - size);
      held.push(piece);
      size += piece.byteLength;
      from += piece.byteLength;
      if (size < chunkBytes) continue;
      yield Buffer.concat(held);
      held = [];
      size = 0;
    }
  }
  if (size > 0) yield Buffer.concat(held);
}

export const digestOfBytes = (bytes: Uint8Array): Digest =>
  `sha256:${hash('sha256', bytes, 'hex')}` as Digest;

/** @throws WorldError `artifact_too_large`. */
export function expectSize(bytes: number): void {
  if (bytes <= artifactBytesMax) return;
  throw new WorldError('artifact_too_large', 'an artifact is larger than what is kept', {
    found: `${bytes} bytes or more`,
    allowed: `at most ${artifactBytesMax} bytes`,
  });
}

export const damaged = (digest: string): WorldError =>
  new WorldError('artifact_damaged', `the stored bytes of ${digest} are not those it names`);

/** Hands out what comes, the last chunk only when the whole is what `digest` names. */
export async function* verified(
  digest: Digest,
  size: number,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const seen = createHash('sha256');
  let bytes = 0;
  let last: Uint8Array | null = null;
  for await (const chunk of chunks) {
    if (last !== null) yield last;
    seen.update(chunk);
    bytes += chunk.byteLength;
    last = chunk;
    if (bytes > size) throw damaged(digest);
  }
  if (bytes !== size || `sha256:${seen.digest('hex')}` !== digest) throw damaged(digest);
  if (last !== null) yield last;
}
