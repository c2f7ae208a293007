/**
 * Artifacts in the database (design/store.md, "Artifact GC"), for every server of it.
 *
 * Invariants:
 *   A1. A row is `ready` only when all of its bytes were counted in the transaction that made it
 *       so; what comes in before that is an upload, which nobody sees.
 *   A2. `put` answers when the bytes are committed; its touch keeps the collector away.
 *   A3. One that is `deleting` is not here: a put brings it back under a content of its own.
 *   A4. What is read is verified against the digest that names it.
 */
import { createHash } from 'node:crypto';
import type { Digest } from '../../domain/ids.ts';
import { TransientError } from '../../kernel/errors.ts';
import { invariant } from '../../kernel/invariant.ts';
import type { ArtifactKind, ArtifactParts, ArtifactStore } from '../../ports/artifacts.ts';
import {
  chunkBytes,
  chunksOf,
  damaged,
  digestOfBytes,
  expectSize,
  verified,
} from '../artifacts/chunks.ts';
import { digestBytes } from '../bytes.ts';
import type { Session } from './connect.ts';
import {
  type ArtifactColumns,
  artifactByDigest,
  beginUpload,
  chunkOf,
  endUpload,
  giveUpUpload,
  lockUpload,
  putChunk,
  putLarge,
  putSmall,
  removeContent,
  sizeOfContent,
  touchArtifact,
} from './sql/artifacts.ts';
import { checked, ours, together } from './together.ts';
import type { Ways } from './writes.ts';

type Way = Ways['repeatable'];

/** A put that meets a collector, or another put, looks again. */
const triesMax = 5;
const digestForm = /^sha256:[0-9a-f]{64}$/;

/** Throws what the store throws, `artifact_too_large` and `artifact_damaged` beside. */
export function postgresArtifacts(way: Way): ArtifactStore {
  return {
    put: async (content, kind) => {
      const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
      expectSize(bytes.byteLength);
      return putWhole(way, { digest: digestOfBytes(bytes), kind, bytes });
    },
    putParts: (parts, kind) => upload(way, parts, kind),
    get: (digest) => readWhole(way, digest),
    parts: (digest) => readParts(way, digest),
  };
}

async function putWhole(way: Way, small: Small): Promise<Digest> {
  const { digest, kind, bytes } = small;
  for (let tries = 0; tries < triesMax; tries += 1) {
    if (await isTouched(way, digest)) return digest;
    if (bytes.byteLength > chunkBytes) return upload(way, one(bytes), kind);
    if (await isKept(way, small)) return digest;
  }
  throw moving(digest);
}

async function readParts(way: Way, digest: Digest): Promise<ArtifactParts | null> {
  const row = await rowOf(way, digest);
  if (row === null) return null;
  const { size } = row;
  return { size, bytes: verified(digest, size, stored(way, digest, row)) };
}

async function readWhole(way: Way, digest: Digest): Promise<Uint8Array | null> {
  const found = await readParts(way, digest);
  if (found === null) return null;
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of found.bytes) chunks.push(chunk);
  } catch (error: unknown) {
    // The collector took it while it was read: it is not here, which is no damage.
    if ((await rowOf(way, digest)) === null) return null;
    throw error;
  }
  const [only] = chunks;
  return only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks);
}

async function isTouched(way: Way, digest: Digest): Promise<boolean> {
  const bytes = digestBytes(digest);
  return checked(await way((session) => session.all(touchArtifact, ours, bytes))).there;
}

interface Small {
  readonly digest: Digest;
  readonly kind: ArtifactKind;
  readonly bytes: Uint8Array;
}

async function isKept(way: Way, { digest, kind, bytes }: Small): Promise<boolean> {
  const of = [digestBytes(digest), bytes.byteLength, kind, bytes] as const;
  const [row] = await way((session) => session.all(putSmall, ours, ...of));
  return row?.kept === true;
}

async function upload(
  way: Way,
  parts: AsyncIterable<Uint8Array>,
  kind: ArtifactKind,
): Promise<Digest> {
  const [begun] = await way((session) => session.all(beginUpload, ours));
  if (begun === undefined) throw moving('an upload');
  const { content } = begun;
  try {
    const seen = createHash('sha256');
    let [no, size] = [0, 0];
    for await (const chunk of chunksOf(parts)) {
      size += chunk.byteLength;
      expectSize(size);
      seen.update(chunk);
      await putOne(way, content, no, chunk);
      no += 1;
    }
    if (no === 0) await putOne(way, content, 0, new Uint8Array());
    const digest = `sha256:${seen.digest('hex')}` as Digest;
    await finish(way, { digest, kind, content, size, chunks: Math.max(no, 1) });
    return digest;
  } catch (error: unknown) {
    await givenUp(way, content);
    throw error;
  }
}

async function putOne(way: Way, content: number, no: number, bytes: Uint8Array): Promise<void> {
  const [alive] = await way((session) => session.all(putChunk, content, no, bytes));
  if (alive === undefined) throw moving('an upload');
}

/** Whoever was cut off cannot say so; then its age does. */
async function givenUp(way: Way, content: number): Promise<void> {
  try {
    await way(async (session) => {
      await session.all(giveUpUpload, content);
      await session.all(removeContent, 1, content);
    });
  } catch {
    // The database does not answer, and the caller hears of what went wrong first.
  }
}

interface Whole {
  readonly digest: Digest;
  readonly kind: ArtifactKind;
  readonly content: number;
  readonly size: number;
  readonly chunks: number;
}

async function finish(way: Way, whole: Whole): Promise<void> {
  const { digest, content } = whole;
  for (let tries = 0; tries < triesMax; tries += 1) {
    const isOurs = await way((session) => together(session, () => makeReady(session, whole)));
    if (isOurs) return;
    // Another has put the same; or this was told before, and the answer was lost.
    if (await isTouched(way, digest)) return givenUp(way, content);
  }
  throw moving(digest);
}

/** False: it is ready without this content, or this content is. */
async function makeReady(session: Session, whole: Whole): Promise<boolean> {
  const { digest, kind, content, size, chunks } = whole;
  const [held] = await session.all(lockUpload, content);
  if (held === undefined) return false;
  const [found] = await session.all(sizeOfContent, content);
  const isWhole = found?.chunks === chunks && found.bytes === size;
  invariant(isWhole, `all chunks of ${digest} are there when it becomes ready`);
  const of = [digestBytes(digest), size, kind, content] as const;
  const [kept] = await session.all(putLarge, ours, ...of);
  if (kept === undefined) return false;
  await session.all(endUpload, content);
  return true;
}

/** Null for what is no digest: it may come from anybody. */
async function rowOf(way: Way, digest: string): Promise<ArtifactColumns | null> {
  if (!digestForm.test(digest)) return null;
  const [row] = await way((session) => session.all(artifactByDigest, digestBytes(digest)));
  return row ?? null;
}

async function* stored(
  way: Way,
  digest: Digest,
  { content, size }: ArtifactColumns,
): AsyncGenerator<Uint8Array> {
  const chunks = Math.max(1, Math.ceil(size / chunkBytes));
  for (let no = 0; no < chunks; no += 1) {
    const [row] = await way((session) => session.all(chunkOf, content, no));
    if (row === undefined) throw damaged(digest);
    yield row.bytes;
  }
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

const moving = (what: string): TransientError =>
  new TransientError('store.busy', `${what} is put and removed at the same time`);
