/** Making a bundle of the commits that somebody else does not have, within bounds. */
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { quotePath } from '../kernel/text.ts';
import type { BundleLimits, Transport } from '../ports/source.ts';
import type { Commit } from '../ports/words.ts';
import { outgoingRef } from './bundle-header.ts';
import { statOf, unique } from './files.ts';
import type { GitCall } from './git.ts';
import { dropRef, type Place } from './repository.ts';

const bundleMs = 10 * 60_000;

/** What a worker's work may be: a day of an agent is far below. */
export const workLimits: BundleLimits = {
  bytes: 64 * 1024 * 1024,
  objects: 100_000,
  unpackedBytes: 1024 * 1024 * 1024,
};
/** What a repository without a remote may be. */
export const sourceLimits: Pick<BundleLimits, 'bytes' | 'objects'> = {
  bytes: 64 * 1024 * 1024,
  objects: 2_000_000,
};

export async function makeBundle(
  place: Place,
  call: GitCall,
  what: {
    readonly name: string;
    readonly tip: Commit;
    readonly without: readonly Commit[];
    readonly limits: Pick<BundleLimits, 'bytes' | 'objects'> & Partial<BundleLimits>;
  },
): Promise<Transport<{ readonly bundle: Uint8Array }>> {
  const { limits, tip } = what;
  const range = [tip, '--not', ...what.without];
  const beyond = await beyondLimits(place, call, { range, limits });
  if (beyond !== null) return beyond;
  const folder = join(place.home, 'tmp');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `${unique()}.bundle`);
  const ref = outgoingRef(what.name);
  await place.git.run(['update-ref', ref, tip], call);
  try {
    const args = ['bundle', 'create', '-q', file, ref, '--not', ...what.without];
    await place.git.run(args, { ...call, deadlineMs: bundleMs });
    const bytes = (await statOf(file))?.size ?? 0;
    if (bytes > limits.bytes) {
      const files = largest((await carriedBy(place, call, range)).files);
      return tooLarge(bytes, limits.bytes, `packed${files}`);
    }
    return { ok: true, bundle: await readFile(file) };
  } finally {
    await dropRef(place, [ref, tip], call);
    await rm(file, { force: true });
  }
}

const inMb = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MB`;

/** `what`: of what it has so many bytes, and what of it is largest. */
export function tooLarge(bytes: number, max: number, what: string) {
  const detail = `${inMb(bytes)} of at most ${inMb(max)} ${what}`;
  return { ok: false, reason: 'bundle.too_large', detail } as const;
}

/** What is known before anything is packed; null: it may be packed. */
async function beyondLimits(
  place: Place,
  call: GitCall,
  asked: {
    readonly range: readonly string[];
    readonly limits: Pick<BundleLimits, 'objects'> & Partial<BundleLimits>;
  },
) {
  const { range, limits } = asked;
  const { objects, unpackedBytes = Number.POSITIVE_INFINITY } = limits;
  const count = await place.git.text(['rev-list', '--objects', '--count', ...range], call);
  if (Number(count) > objects) {
    const fullest = await fullestFolders(place, call, range);
    const detail = `${count} objects of at most ${objects}${fullest}`;
    return { ok: false, reason: 'bundle.too_many_objects', detail } as const;
  }
  if (unpackedBytes === Number.POSITIVE_INFINITY) return null;
  const { bytes, files } = await carriedBy(place, call, range);
  return bytes > unpackedBytes ? tooLarge(bytes, unpackedBytes, `unpacked${largest(files)}`) : null;
}

interface Carried {
  /** Of all its objects, unpacked. */
  readonly bytes: number;
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
}

async function carriedBy(place: Place, call: GitCall, range: readonly string[]): Promise<Carried> {
  const { bytes: input } = await place.git.run(['rev-list', '--objects', ...range], call);
  const asked = ['cat-file', '--batch-check=%(objectsize) %(objecttype) %(rest)'];
  const told = await place.git.text(asked, { ...call, input });
  const lines = told.split('\n').map((line) => /^(\d+) (\w+) (.*)$/.exec(line));
  const found = lines.flatMap((line) => {
    const [, size, type = '', path = ''] = line ?? [];
    return size === undefined ? [] : [{ bytes: Number(size), type, path }];
  });
  return {
    bytes: found.reduce((sum, { bytes }) => sum + bytes, 0),
    files: found.filter(({ type, path }) => type === 'blob' && path !== ''),
  };
}

const namedMax = 3;
const nameMax = 60;

/** Of a long path the end tells more. */
const named = (path: string): string => {
  const quoted = quotePath(path);
  return quoted.length <= nameMax ? quoted : `…${quoted.slice(1 - nameMax)}`;
};

/** `; largest: dist/app.bin 65.2 MB, …`, for whoever has to leave them out. */
function largest(files: Carried['files']): string {
  const first = [...files].sort((a, b) => b.bytes - a.bytes).slice(0, namedMax);
  const told = first.map(({ path, bytes }) => `${named(path)} ${inMb(bytes)}`);
  return told.length === 0 ? '' : `; largest: ${told.join(', ')}`;
}

async function fullestFolders(
  place: Place,
  call: GitCall,
  range: readonly string[],
): Promise<string> {
  const listed = await place.git.text(['rev-list', '--objects', ...range], call);
  const counts = new Map<string, number>();
  for (const line of listed.split('\n')) {
    const [, folder] = /^\S+ ([^/]+)\//.exec(line) ?? [];
    if (folder !== undefined) counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  const first = [...counts].sort(([, a], [, b]) => b - a).slice(0, namedMax);
  const told = first.map(([folder, n]) => `${named(folder)}/ ${n}`);
  return told.length === 0 ? '' : `; most in: ${told.join(', ')}`;
}
