/**
 * What every store of artifacts promises, on a disk and in a database.
 *
 * Method: an upload is stopped at each byte where something changes, two uploads of the same go in
 * step, and a collector is let in between; then whoever else looks must find all of it or nothing.
 */
import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Digest, Instant } from '../../src/domain/ids.ts';
import { never } from '../../src/kernel/cancel-signal.ts';
import type { ArtifactStore } from '../../src/ports/artifacts.ts';
import type { ArtifactCollector } from '../../src/ports/collector.ts';
import { chunkBytes } from '../../src/store/artifacts/chunks.ts';

export interface OpenedArtifacts {
  readonly artifacts: ArtifactStore;
  /** Another process of the same store. */
  readonly other: ArtifactStore;
  readonly collector: ArtifactCollector;
  /** Some run refers to it from now on. */
  refer(digest: Digest): Promise<void>;
  /** As if it had last been put two days ago. */
  age(digest: Digest): Promise<void>;
  /** One of its stored bytes is another one. */
  spoil(digest: Digest): Promise<void>;
  /** As a collector that was killed in the middle leaves it. */
  halfCollected(digest: Digest): Promise<void>;
  /** Uploads that nobody has finished. */
  unfinished(): Promise<number>;
  close(): Promise<void>;
}

const dayMs = 24 * 3_600_000;
const aDayAgo = () => (Date.now() - dayMs) as Instant;
const aDayLater = () => (Date.now() + dayMs) as Instant;
const sizes = [0, 1, chunkBytes - 1, chunkBytes, chunkBytes + 1, 2 * chunkBytes + 7];

let made = 0;
/** Others than before, so that a digest is of one test alone. */
export function bytesOf(size: number): Uint8Array {
  made += 1;
  const bytes = Buffer.alloc(size, made % 251);
  if (size > 8) bytes.write(`${made}`, 0, 'utf8');
  return bytes;
}

export const named = (bytes: Uint8Array): Digest =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}` as Digest;

export async function* inParts(bytes: Uint8Array, of = 100_000): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.byteLength; from += of) yield bytes.subarray(from, from + of);
}

function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => {};
  const opened = new Promise<void>((done) => {
    open = done;
  });
  return { opened, open };
}

class CutOff extends Error {}

async function* cutOff(bytes: Uint8Array, after: number): AsyncGenerator<Uint8Array> {
  yield* inParts(bytes.subarray(0, after));
  throw new CutOff();
}

export async function read(artifacts: ArtifactStore, digest: Digest): Promise<Uint8Array | null> {
  const found = await artifacts.parts(digest);
  if (found === null) return null;
  const parts: Uint8Array[] = [];
  for await (const part of found.bytes) parts.push(part);
  expect(Math.max(0, ...parts.map((part) => part.byteLength))).toBeLessThanOrEqual(chunkBytes);
  const whole = Buffer.concat(parts);
  expect(found.size).toBe(whole.byteLength);
  return whole;
}

const same = (a: Uint8Array | null, b: Uint8Array): boolean =>
  a !== null && Buffer.compare(a, b) === 0;

const total = 2 * chunkBytes + 7;
const stops = [0, 1, chunkBytes - 1, chunkBytes, chunkBytes + 1, 2 * chunkBytes, total];

/** What each test finds open. */
type Current = () => OpenedArtifacts;

export function artifactSuite(name: string, open: () => Promise<OpenedArtifacts>): void {
  describe(name, () => {
    let opened: OpenedArtifacts;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.close());
    for (const group of [sameBytes, cutOffs, together, ages, collectorAndPut]) group(() => opened);
  });
}

const collect = ({ collector }: OpenedArtifacts, before: Instant, dry = false) =>
  collector.collect({ before, dry, keep: new Set(), signal: never });

function sameBytes(current: Current): void {
  test.each(sizes)('%i bytes are the same whole and in parts (XP-16)', async (size) => {
    const opened = current();
    const { artifacts, other } = opened;
    const bytes = bytesOf(size);
    expect(await artifacts.put(bytes, 'output')).toBe(named(bytes));
    expect(await other.putParts(inParts(bytes), 'output')).toBe(named(bytes));
    expect(same(await other.get(named(bytes)), bytes)).toBe(true);
    expect(same(await read(artifacts, named(bytes)), bytes)).toBe(true);
    const alone = bytesOf(size);
    if (size > 0) expect(await other.get(named(alone))).toBeNull();
    expect(await other.putParts(inParts(alone, 1 + size / 3), 'output')).toBe(named(alone));
    expect(same(await artifacts.get(named(alone)), alone)).toBe(true);
    expect(await opened.unfinished()).toBe(0);
  });

  test('text is its bytes, and what was never put or is no digest is not here', async () => {
    const opened = current();
    const { artifacts } = opened;
    const digest = await artifacts.put('every check passed ✓\n', 'output');
    expect(digest).toBe(named(Buffer.from('every check passed ✓\n')));
    for (const unknown of [named(bytesOf(3)), 'sha256:../../etc/passwd' as Digest]) {
      expect(await artifacts.get(unknown)).toBeNull();
      expect(await artifacts.parts(unknown)).toBeNull();
    }
  });
}

function cutOffs(current: Current): void {
  test.each(stops)('an upload that is cut off after %i bytes leaves nothing', async (after) => {
    const opened = current();
    const { artifacts, other } = opened;
    const bytes = bytesOf(total);
    await expect(artifacts.putParts(cutOff(bytes, after), 'output')).rejects.toThrow(CutOff);
    for (const digest of [named(bytes), named(bytes.subarray(0, after))]) {
      expect(await other.get(digest)).toBeNull();
    }
    expect(await opened.unfinished()).toBe(0);
    expect(await other.putParts(inParts(bytes), 'output')).toBe(named(bytes));
    expect(same(await artifacts.get(named(bytes)), bytes)).toBe(true);
  });

  test.each([0, 1, 2])('one that stands still after chunk %i hides nothing', async (after) => {
    const opened = current();
    const { artifacts, other } = opened;
    const bytes = bytesOf(total);
    const still = gate();
    const reached = gate();
    async function* standing(): AsyncGenerator<Uint8Array> {
      yield* inParts(bytes.subarray(0, after * chunkBytes), chunkBytes);
      reached.open();
      await still.opened;
      yield* inParts(bytes.subarray(after * chunkBytes), chunkBytes);
    }
    const slow = artifacts.putParts(standing(), 'output').catch((error: unknown) => error);
    await reached.opened;
    expect(await other.get(named(bytes))).toBeNull();
    expect(await other.put(bytes, 'output')).toBe(named(bytes));
    await opened.refer(named(bytes));
    await collect(opened, aDayLater());
    expect(await opened.unfinished()).toBe(0);
    expect(same(await other.get(named(bytes)), bytes)).toBe(true);
    still.open();
    // It finds the same there, or that it was given up: both are said, and nothing is spoilt.
    const end = await slow;
    if (end !== named(bytes)) expect(end).toMatchObject({ code: expect.any(String) });
    expect(same(await other.get(named(bytes)), bytes)).toBe(true);
    expect(await opened.unfinished()).toBe(0);
  });
}

function together(current: Current): void {
  test('two uploads of the same in step, and twenty at once, end with one', async () => {
    const opened = current();
    const { artifacts, other } = opened;
    const bytes = bytesOf(total);
    const both = await Promise.all([
      artifacts.putParts(inParts(bytes, chunkBytes), 'output'),
      other.putParts(inParts(bytes, chunkBytes), 'output'),
    ]);
    expect(new Set(both)).toEqual(new Set([named(bytes)]));
    const small = bytesOf(100);
    const writers = Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? artifacts : other));
    const all = await Promise.all(writers.map((one) => one.put(small, 'output')));
    expect(new Set(all)).toEqual(new Set([named(small)]));
    expect(await opened.unfinished()).toBe(0);
    expect(await collect(opened, aDayLater())).toEqual({ files: 2, bytes: total + 100 });
  });

  test('a changed byte is not handed out, and never the end of what has one', async () => {
    const opened = current();
    const { artifacts } = opened;
    for (const size of [100, total]) {
      const digest = await artifacts.put(bytesOf(size), 'output');
      await opened.spoil(digest);
      const damaged = { code: 'artifact_damaged' };
      await expect(artifacts.get(digest)).rejects.toMatchObject(damaged);
      await expect(read(artifacts, digest)).rejects.toMatchObject(damaged);
    }
  });
}

function ages(current: Current): void {
  test('the collector takes what is a day old and of nobody, and nothing else', async () => {
    const opened = current();
    const { artifacts } = opened;
    const [kept, gone, young] = [bytesOf(10), bytesOf(total), bytesOf(30)];
    for (const bytes of [kept, gone, young]) await artifacts.put(bytes, 'output');
    await opened.refer(named(kept));
    for (const bytes of [kept, gone]) await opened.age(named(bytes));
    expect(await collect(opened, aDayAgo(), true)).toEqual({ files: 1, bytes: total });
    expect(await artifacts.get(named(gone))).not.toBeNull();
    const keep = new Set([named(gone)]);
    const request = { before: aDayAgo(), dry: false, signal: never };
    expect(await opened.collector.collect({ ...request, keep })).toEqual({ files: 0, bytes: 0 });
    expect(await collect(opened, aDayAgo())).toEqual({ files: 1, bytes: total });
    expect(await artifacts.get(named(gone))).toBeNull();
    for (const bytes of [kept, young]) {
      expect(same(await artifacts.get(named(bytes)), bytes)).toBe(true);
    }
  });

  test('a put begins the day anew', async () => {
    const opened = current();
    const { artifacts } = opened;
    for (const size of [10, total]) {
      const bytes = bytesOf(size);
      await artifacts.put(bytes, 'output');
      await opened.age(named(bytes));
      if (size === 10) await artifacts.put(bytes, 'output');
      else await artifacts.putParts(inParts(bytes), 'output');
      expect(await collect(opened, aDayAgo())).toEqual({ files: 0, bytes: 0 });
      expect(same(await artifacts.get(named(bytes)), bytes)).toBe(true);
    }
  });
}

function collectorAndPut(current: Current): void {
  test.each([10, total])(
    '%i bytes that a killed collector had come back by a put',
    async (size) => {
      const opened = current();
      const { artifacts, other } = opened;
      const bytes = bytesOf(size);
      await artifacts.put(bytes, 'output');
      await opened.halfCollected(named(bytes));
      expect(await artifacts.get(named(bytes))).toBeNull();
      await other.put(bytes, 'output');
      expect(same(await artifacts.get(named(bytes)), bytes)).toBe(true);
      expect(await collect(opened, aDayAgo())).toEqual({ files: 0, bytes: 0 });
      expect(same(await artifacts.get(named(bytes)), bytes)).toBe(true);
      expect(await opened.unfinished()).toBe(0);
    },
  );

  test('a put and a collector at the same time: what was put is here afterwards', async () => {
    const opened = current();
    const { artifacts, other } = opened;
    for (let n = 0; n < 12; n += 1) {
      const bytes = bytesOf(n % 4 === 0 ? total : 50);
      await artifacts.put(bytes, 'output');
      await opened.age(named(bytes));
      await Promise.all([
        collect(opened, aDayAgo()),
        n % 2 === 0 ? other.put(bytes, 'output') : other.putParts(inParts(bytes), 'output'),
      ]);
      expect(same(await artifacts.get(named(bytes)), bytes)).toBe(true);
    }
    await collect(opened, aDayAgo());
    expect(await opened.unfinished()).toBe(0);
  });
}
