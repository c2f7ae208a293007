/** Repositories of our own beside the user's: own refs, own index, objects by hard link. */
import { copyFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Commit } from '../ports/words.ts';
import { exists } from './files.ts';
import { commitOf, type Place } from './repository.ts';

/** Local settings that decide how files look on disk or who commits; a clone does not get them. */
const settingsKept =
  '^(user|author|committer|filter|lfs|merge)\\.|^remote\\..+\\.(promisor|partialclonefilter)$|^core\\.(autocrlf|eol|safecrlf|symlinks|ignorecase|precomposeunicode|longpaths|filemode)$';

const cloneMs = 10 * 60_000;

/**
 * Clones without checking out; no template, so no hook of the user's comes along. The source is
 * named by its git directory and its configuration read as a file, so that it need not be
 * discovered.
 */
export async function cloneRepository(
  place: Place,
  gitDir: string,
  directory: string,
  settings?: string,
): Promise<void> {
  // Without --local git links what it can and copies what lies on another file system.
  const around = { cwd: dirname(directory), deadlineMs: cloneMs };
  const args = ['clone', '--no-checkout', '--template=', '-q', '--'];
  await place.git.run([...args, gitDir, directory], around);
  const call = { cwd: directory };
  const config = ['config', '-f', join(gitDir, 'config'), '--includes'];
  const url = await place.git.maybe([...config, '--get', 'remote.origin.url'], around);
  if (url === null) await place.git.run(['remote', 'remove', 'origin'], call);
  else await place.git.run(['config', 'remote.origin.url', url], call);
  const kept = settings ?? (await readSettings(place, gitDir));
  await addSettings(place, kept.split('\0'), directory);
  await copyInfo(gitDir, join(directory, '.git'));
}

/** What a clone takes over, as `key\nvalue` entries with NULs between. */
export async function readSettings(place: Place, gitDir: string): Promise<string> {
  const args = ['config', '-f', join(gitDir, 'config'), '--includes', '-z'];
  const call = { cwd: gitDir, accept: [1] };
  const kept = await place.git.run([...args, '--get-regexp', settingsKept], call);
  return kept.bytes.toString('utf8');
}

async function addSettings(
  place: Place,
  entries: readonly string[],
  directory: string,
): Promise<void> {
  for (const entry of entries) {
    const at = entry.indexOf('\n');
    if (at < 0) continue;
    const pair = [entry.slice(0, at), entry.slice(at + 1)];
    await place.git.run(['config', '--add', ...pair], { cwd: directory });
  }
}

/** The user's private ignore rules and attributes. */
export async function copyInfo(commonDir: string, gitDir: string): Promise<void> {
  await mkdir(join(gitDir, 'info'), { recursive: true });
  for (const name of ['exclude', 'attributes']) {
    const from = join(commonDir, 'info', name);
    if (await exists(from)) await copyFile(from, join(gitDir, 'info', name));
  }
}

/** Brings a commit, on a branch or not, from one repository of this machine into another. */
export async function ensureCommit(
  place: Place,
  way: {
    readonly into: string;
    readonly from: string;
    readonly commit: Commit;
    /** Names the repository, where `into` is not to be searched for one. */
    readonly env?: Readonly<Record<string, string>>;
  },
): Promise<void> {
  const call = { cwd: way.into, deadlineMs: cloneMs, env: way.env ?? {} };
  if ((await commitOf(place, way.commit, call)) === way.commit) return;
  await place.git.run(
    [
      'fetch',
      '-q',
      '--no-tags',
      '--no-write-fetch-head',
      '--upload-pack=git -c uploadpack.allowAnySHA1InWant=true upload-pack',
      '--',
      way.from,
      way.commit,
    ],
    call,
  );
}
