/** Making a bundle of the commits that somebody else does not have, within bounds. */
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
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
    readonly limits: Pick<BundleLimits, 'bytes' | 'objects'>;
  },
): Promise<Transport<{ readonly bundle: Uint8Array }>> {
  const { limits, tip } = what;
  const range = [tip, '--not', ...what.without];
  const counted = Number(
    await place.git.text(['rev-list', '--objects', '--count', ...range], call),
  );
  if (counted > limits.objects) {
    const detail = `${counted} objects, at most ${limits.objects} are carried`;
    return { ok: false, reason: 'bundle.too_many_objects', detail };
  }
  const folder = join(place.home, 'tmp');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `${unique()}.bundle`);
  const ref = outgoingRef(what.name);
  await place.git.run(['update-ref', ref, tip], call);
  try {
    const args = ['bundle', 'create', '-q', file, ref, '--not', ...what.without];
    await place.git.run(args, { ...call, deadlineMs: bundleMs });
    const bytes = (await statOf(file))?.size ?? 0;
    if (bytes > limits.bytes) return tooLarge(bytes, limits.bytes);
    return { ok: true, bundle: await readFile(file) };
  } finally {
    await dropRef(place, [ref, tip], call);
    await rm(file, { force: true });
  }
}

const inMb = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MB`;

export function tooLarge(bytes: number, max: number) {
  const detail = `${inMb(bytes)}, at most ${inMb(max)} are carried`;
  return { ok: false, reason: 'bundle.too_large', detail } as const;
}
