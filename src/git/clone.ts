/** Repositories of our own beside the user's: own refs, own index, objects by hard link. */
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Commit } from '../ports/words.ts';
import { exists } from './files.ts';
import { commitOf, type Place } from './repository.ts';

/** Local settings that decide how files look on disk or who commits; a clone does not get them. */
const settingsKept =
  '^(user|author|committer|filter|lfs|merge)\\.|^core\\.(autocrlf|eol|safecrlf|symlinks|ignorecase|precomposeunicode|longpaths|filemode)$';

const cloneMs = 10 * 60_000;

/** Clones without checking out; no template, so no hook of the user's comes along. */
export async function cloneRepository(
  place: Place,
  source: { readonly root: string; readonly commonDir: string },
  directory: string,
): Promise<void> {
  const args = ['clone', '--local', '--no-checkout', '--template=', '-q'];
  await place.git.run([...args, '--', source.commonDir, directory], {
    cwd: source.root,
    deadlineMs: cloneMs,
  });
  const call = { cwd: directory };
  const url = await place.git.maybe(['config', '--get', 'remote.origin.url'], { cwd: source.root });
  if (url === null) await place.git.run(['remote', 'remove', 'origin'], call);
  else await place.git.run(['config', 'remote.origin.url', url], call);
  await copySettings(place, source.root, directory);
  await copyInfo(source.commonDir, join(directory, '.git'));
}

async function copySettings(place: Place, root: string, directory: string): Promise<void> {
  const found = await place.git.run(['config', '--local', '-z', '--get-regexp', settingsKept], {
    cwd: root,
    accept: [1],
  });
  const entries = found.bytes
    .toString('utf8')
    .split('\0')
    .filter((entry) => entry.includes('\n'));
  for (const entry of entries) {
    const at = entry.indexOf('\n');
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
  way: { readonly into: string; readonly from: string; readonly commit: Commit },
): Promise<void> {
  const call = { cwd: way.into, deadlineMs: cloneMs };
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
