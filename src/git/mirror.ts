/**
 * A worker's own copies of repositories that lie elsewhere: one bare mirror for each, under its own
 * home. Work trees and check trees are cut from it exactly as from a user's repository. Everything
 * that comes in lands below `refs/pawl/source/`, so that a mirror has no branch but those of runs.
 */
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WorldError } from '../kernel/errors.ts';
import type { BundleLimits, SourceMirrors, SourceOffer } from '../ports/source.ts';
import type { Commit, RunId } from '../ports/words.ts';
import { readBundleHead } from './bundle-header.ts';
import { exists, removeTree, unique } from './files.ts';
import type { GitCall } from './git.ts';
import { withLock } from './lock.ts';
import { makeBundle, workLimits } from './make-bundle.ts';
import { isKey, markUsed, mirrorLock, mirrorsOf } from './prune-mirrors.ts';
import { markOvertaken } from './records.ts';
import { commitOf, type Place, type PlaceOptions, placeOf } from './repository.ts';
import { isPublic } from './source-offer.ts';
import { unsafeEntry } from './unsafe-entries.ts';

const lockMs = 15 * 60_000;
const fetchMs = 10 * 60_000;
const knownMax = 32;

/** Nothing of the worker's user is asked: neither configuration nor logins (XP-29). */
export function gitMirrors(
  options: PlaceOptions & { readonly limits?: Partial<BundleLimits> },
): SourceMirrors {
  const place = placeOf({ ...options, isolated: true });
  const limits = { ...workLimits, ...options.limits };
  return {
    rootOf: (key) => (isKey(key) ? mirrorPath(place, key) : join(mirrorsOf(place.home), 'none')),
    known: (key) => known(place, key),
    bring: (offer, run) => bring(place, offer, run),
    pack: async ({ root, execution, from, tip }) => {
      const call = callOn(root);
      const unsafe = await unsafeEntry(place, call, [from, tip]);
      if (unsafe !== null) return { ok: false, ...unsafe };
      const what = { name: execution, tip, without: [from], limits };
      return makeBundle(place, call, what);
    },
  };
}

const callOn = (directory: string): GitCall => ({ cwd: directory, env: { GIT_DIR: directory } });

function mirrorPath(place: Place, key: string): string {
  if (!isKey(key)) {
    throw new WorldError('source_unavailable', 'the source has no usable key', { found: key });
  }
  return join(mirrorsOf(place.home), `${key}.git`);
}

/** What git takes for a branch, without what would be a pattern or an option. */
const branchRef = /^refs\/heads\/(?!.*(?:\.\.|\/\/|@\{))[^\s~^:?*[\\-][^\s~^:?*[\\]*$/;
const sourceRefs = 'refs/pawl/source/';

async function known(place: Place, key: string): Promise<readonly Commit[]> {
  const directory = mirrorPath(place, key);
  if (!(await exists(directory))) return [];
  const format = ['--format=%(objectname)', '--sort=-committerdate', `--count=${knownMax}`];
  const refs = [sourceRefs, 'refs/pawl/run/'];
  const listed = await place.git.text(['for-each-ref', ...format, ...refs], callOn(directory));
  return [...new Set(listed.split('\n').filter((id) => id !== ''))] as Commit[];
}

async function bring(
  place: Place,
  offer: SourceOffer,
  run: RunId,
): Promise<{ readonly root: string }> {
  const directory = mirrorPath(place, offer.key);
  await withLock(mirrorLock(place.home, offer.key), { waitMs: lockMs }, async () => {
    if (!(await exists(directory))) await make(place, directory, offer);
    await markUsed(directory);
    const call = callOn(directory);
    if ((await commitOf(place, offer.commit, call)) === offer.commit) return;
    await fetched(place, call, offer);
    if (offer.bundle !== null) await unbundled(place, call, offer.bundle);
    if ((await commitOf(place, offer.commit, call)) !== offer.commit) {
      throw unreachable(offer, `${offer.commit} is not there`);
    }
    const ref = `${sourceRefs}${offer.commit}`;
    await place.git.run(['update-ref', ref, offer.commit], call);
    await place.git.run(['rev-list', '--objects', '--quiet', offer.commit], {
      ...call,
      deadlineMs: fetchMs,
    });
    await markOvertaken(place.home, run, offer.commit);
  });
  return { root: directory };
}

/** Beside, then renamed: there is never half a mirror. Its settings do not change afterwards. */
async function make(place: Place, directory: string, offer: SourceOffer): Promise<void> {
  const draft = `${directory}.${unique()}`;
  await mkdir(draft, { recursive: true, mode: 0o700 });
  try {
    const format = offer.commit.length === 64 ? 'sha256' : 'sha1';
    const init = ['init', '-q', '--bare', '--template=', `--object-format=${format}`, draft];
    await place.git.run(init, { cwd: draft });
    if (offer.remote !== null) {
      const { url } = offer.remote;
      await place.git.run(['config', 'remote.origin.url', url], callOn(draft));
    }
    await rename(draft, directory);
  } finally {
    await removeTree(draft, join(place.home, 'trash'));
  }
}

async function fetched(place: Place, call: GitCall, offer: SourceOffer): Promise<void> {
  const { remote } = offer;
  if (remote === null) return;
  if (!isPublic(remote.url) || !branchRef.test(remote.ref)) {
    throw unreachable(offer, 'it is no public address of a branch');
  }
  const to = `+${remote.ref}:${sourceRefs}remote/${remote.ref.replace(/^refs\/heads\//, '')}`;
  const options = ['-q', '--no-tags', '--no-write-fetch-head', '--no-auto-maintenance'];
  try {
    const args = ['fetch', ...options, '--', remote.url, to];
    const env = { ...call.env, GIT_PROTOCOL_FROM_USER: '0' };
    await place.git.run(args, { ...call, env, deadlineMs: fetchMs });
  } catch (error: unknown) {
    if (!(error instanceof WorldError) || error.code !== 'git_failed') throw error;
    throw unreachable(offer, error.details.found ?? error.message);
  }
}

function unreachable({ remote }: SourceOffer, found: string): WorldError {
  return new WorldError('source_unreachable', 'the source cannot be had from its remote', {
    where: remote?.url ?? 'a bundle',
    found,
  });
}

async function unbundled(place: Place, call: GitCall, bundle: Uint8Array): Promise<void> {
  const read = readBundleHead(bundle);
  if (!read.ok) {
    throw new WorldError('source_unavailable', 'the bundle of the source is not sound', {
      found: `${read.reason}: ${read.detail}`,
    });
  }
  const folder = join(place.home, 'tmp');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `${unique()}.bundle`);
  try {
    await writeFile(file, bundle, { mode: 0o600 });
    const to = `+${read.head.ref}:${sourceRefs}${read.head.tip}`;
    const options = ['-q', '--no-tags', '--no-write-fetch-head', '--no-auto-maintenance'];
    await place.git.run(['fetch', ...options, '--', file, to], { ...call, deadlineMs: fetchMs });
  } finally {
    await rm(file, { force: true });
  }
}
