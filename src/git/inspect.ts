import { basename, join } from 'node:path';
import { RequestError } from '../kernel/errors.ts';
import type { Checkout } from '../ports/workspace.ts';
import { exists, realpathOf, statOf } from './files.ts';
import { splitNul } from './git.ts';
import { branchOf, commitOf, type Place, type Repository, repositoryAt } from './repository.ts';

export interface StatusEntry {
  /** The two letters of `git status --porcelain`. */
  readonly code: string;
  readonly path: string;
}

const statusBytesMax = 64 * 1024 * 1024;

/** Takes no lock and writes nothing, not even the refreshed index. */
export async function statusOf(
  place: Place,
  directory: string,
  options: { readonly ignored: boolean; readonly env?: Readonly<Record<string, string>> },
): Promise<readonly StatusEntry[]> {
  const answer = await place.git.run(
    [
      'status',
      '--porcelain=v1',
      '-z',
      '--no-renames',
      '--ignore-submodules=dirty',
      ...(options.ignored
        ? ['--untracked-files=normal', '--ignored=matching']
        : ['--untracked-files=all']),
    ],
    { cwd: directory, outputBytesMax: statusBytesMax, env: options.env ?? {} },
  );
  return splitNul(answer.bytes).map((entry) => ({ code: entry.slice(0, 2), path: entry.slice(3) }));
}

/** Files of pawl's own; a checkout with nothing else changed is clean. */
export function isOfPawl(path: string): boolean {
  return basename(path) === 'pawl.yaml' || path.split('/').includes('.pawl');
}

/** Reads only; never fetches. */
export async function inspect(place: Place, directory: string): Promise<Checkout> {
  const real = await realpathOf(directory);
  if (real === null || (await statOf(real))?.isDirectory() !== true) {
    throw new RequestError('bad_value', `there is no folder ${directory}`, {
      next: 'name another with --project, or go to one that is there',
    });
  }
  const repository = await repositoryAt(place, directory);
  if (repository === null) {
    return { git: false, root: (await realpathOf(directory)) ?? directory };
  }
  const call = { cwd: repository.root };
  const branch = await branchOf(place, call);
  const status = repository.bare ? [] : await statusOf(place, repository.root, { ignored: false });
  return {
    git: true,
    root: repository.root,
    bare: repository.bare,
    head: await commitOf(place, 'HEAD', call),
    branch,
    dirty: status.map(({ path }) => path).filter((path) => !isOfPawl(path)),
    upstream: branch === null ? null : await upstreamOf(place, repository, branch),
    submodules: !repository.bare && (await exists(join(repository.root, '.gitmodules'))),
    linkedWorktree: repository.gitDir !== repository.commonDir,
  };
}

/** Without git nothing is ignored. Tracked paths are not, whatever the patterns say. */
export async function ignoredOf(
  place: Place,
  root: string,
  paths: readonly string[],
): Promise<readonly string[]> {
  if (paths.length === 0 || (await repositoryAt(place, root)) === null) return [];
  const answer = await place.git.run(['check-ignore', '-z', '--stdin'], {
    cwd: root,
    input: `${paths.join('\0')}\0`,
    accept: [1],
  });
  return splitNul(answer.bytes);
}

async function upstreamOf(place: Place, repository: Repository, branch: string) {
  const call = { cwd: repository.root };
  const name = await place.git.text(
    ['for-each-ref', '--format=%(upstream:short)', `refs/heads/${branch}`],
    call,
  );
  if (name === '') return null;
  const counts = await place.git.maybe(
    ['rev-list', '--left-right', '--count', `refs/heads/${branch}...${branch}@{upstream}`, '--'],
    call,
  );
  if (counts === null) return null;
  const [ahead = 0, behind = 0] = counts.split('\t').map(Number);
  return { name, ahead, behind };
}
