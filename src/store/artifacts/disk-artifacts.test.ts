import {
  existsSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Digest, Instant } from '../../domain/ids.ts';
import { never } from '../../kernel/cancel-signal.ts';
import type { Store } from '../../ports/store.ts';
import { diskCollector } from './collect-artifacts.ts';
import { diskArtifacts } from './disk-artifacts.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'pawl-artifacts-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const text = 'every check passed\n';
const digest = 'sha256:1c7e06d4fd3bd3d7a5ef1ed3f63ae9d7d7c65e4a6a9aa51a2a6b7c1f2f8e9d00' as Digest;
const pathOf = (name: string) => join(directory, name.slice(7, 9), name.slice(9));
const refersTo = (...held: readonly Digest[]): Pick<Store, 'unreferenced'> => ({
  unreferenced: async (digests) => digests.filter((one) => !held.includes(one)),
});
const dayMs = 24 * 3_600_000;
const aDayAgo = () => (Date.now() - dayMs) as Instant;
/** As the collector sees it a day from now. */
const aDayLater = () => (Date.now() + 60_000) as Instant;

function collect(store: Pick<Store, 'unreferenced'>, before: Instant, dry = false) {
  const keep = new Set<Digest>();
  return diskCollector({ directory, store }).collect({ before, dry, keep, signal: never });
}

test('the same bytes give the same digest, as text and as bytes, and are stored once (XP-16)', async () => {
  const artifacts = diskArtifacts({ directory });
  const first = await artifacts.put(text, 'output');
  expect(await artifacts.put(Buffer.from(text), 'receipt')).toBe(first);
  expect(first).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(Buffer.from((await artifacts.get(first)) ?? []).toString()).toBe(text);
  expect(readdirSync(join(directory, first.slice(7, 9)))).toEqual([first.slice(9)]);
  expect(readdirSync(join(directory, 'incoming'))).toEqual([]);
});

test('what was never put, and what is no digest, is none', async () => {
  const artifacts = diskArtifacts({ directory });
  expect(await artifacts.get(digest)).toBeNull();
  expect(await artifacts.get('sha256:../../../../etc/passwd' as Digest)).toBeNull();
});

test('a changed byte is not handed out', async () => {
  const artifacts = diskArtifacts({ directory });
  const put = await artifacts.put(text, 'output');
  writeFileSync(pathOf(put), text.replace('passed', 'failed'));
  await expect(artifacts.get(put)).rejects.toMatchObject({ code: 'artifact_damaged' });
});

test('a file cut short by a crash of the machine is written anew', async () => {
  const artifacts = diskArtifacts({ directory });
  const put = await artifacts.put(text, 'output');
  writeFileSync(pathOf(put), text.slice(0, 4));
  expect(await artifacts.put(text, 'output')).toBe(put);
  expect(Buffer.from((await artifacts.get(put)) ?? []).toString()).toBe(text);
});

test('a put that cannot be finished leaves nothing half-visible and says so (L-B19)', async () => {
  writeFileSync(join(directory, 'file'), '');
  const artifacts = diskArtifacts({ directory: join(directory, 'file') });
  await expect(artifacts.put(text, 'output')).rejects.toMatchObject({ code: 'store_unusable' });
});

test('many who put the same bytes at once all hear the same digest', async () => {
  const writers = Array.from({ length: 20 }, () => diskArtifacts({ directory }));
  const digests = await Promise.all(writers.map((artifacts) => artifacts.put(text, 'output')));
  expect(new Set(digests).size).toBe(1);
  expect(readdirSync(join(directory, 'incoming'))).toEqual([]);
});

test('the folder is private to its owner', async () => {
  const own = join(directory, 'artifacts');
  const put = await diskArtifacts({ directory: own }).put(text, 'output');
  expect(statSync(own).mode & 0o077).toBe(0);
  expect(statSync(join(own, put.slice(7, 9), put.slice(9))).mode & 0o077).toBe(0);
});

test('the collector takes what is a day old and of nobody, and nothing else', async () => {
  const artifacts = diskArtifacts({ directory });
  const kept = await artifacts.put('kept', 'output');
  const gone = await artifacts.put('gone', 'output');
  expect(await collect(refersTo(), aDayAgo())).toEqual({ files: 0, bytes: 0 });
  const counted = await collect(refersTo(kept), aDayLater(), true);
  expect(counted).toEqual({ files: 1, bytes: 4 });
  expect(await artifacts.get(gone)).not.toBeNull();
  expect(await collect(refersTo(kept), aDayLater())).toEqual(counted);
  expect(await artifacts.get(gone)).toBeNull();
  expect(await artifacts.get(kept)).not.toBeNull();
});

test('a put begins the day anew', async () => {
  const artifacts = diskArtifacts({ directory });
  const put = await artifacts.put(text, 'output');
  const long = new Date(Date.now() - 2 * dayMs);
  utimesSync(pathOf(put), long, long);
  await artifacts.put(text, 'output');
  await collect(refersTo(), aDayAgo());
  expect(await artifacts.get(put)).not.toBeNull();
});

test('a reference that comes in while the collector has the file in hand wins', async () => {
  const artifacts = diskArtifacts({ directory });
  const put = await artifacts.put(text, 'output');
  let asked = 0;
  const store: Pick<Store, 'unreferenced'> = {
    unreferenced: async (digests) => {
      asked += 1;
      return asked === 1 ? digests : [];
    },
  };
  expect(await collect(store, aDayLater())).toMatchObject({
    files: 0,
  });
  expect(asked).toBe(2);
  expect(await artifacts.get(put)).not.toBeNull();
});

test('what a killed collector had in hand comes back, and what a killed writer left goes', async () => {
  const artifacts = diskArtifacts({ directory });
  const put = await artifacts.put(text, 'output');
  const leaving = join(directory, 'leaving', put.slice(7));
  await collect(refersTo(put), aDayAgo());
  renameSync(pathOf(put), leaving);
  writeFileSync(join(directory, 'incoming', 'half'), 'ha');
  await collect(refersTo(put), aDayLater());
  expect(await artifacts.get(put)).not.toBeNull();
  expect(existsSync(join(directory, 'incoming', 'half'))).toBe(false);
});
