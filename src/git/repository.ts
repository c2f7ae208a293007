/** Where a repository's parts lie, and the questions about it that several operations ask. */
import { dirname, join } from 'node:path';
import { WorldError } from '../kernel/errors.ts';
import type { Commit, RunId } from '../ports/words.ts';
import { exists, realpathOf, shortHash } from './files.ts';
import { type Git, type GitCall, gitRunner, isForSpace } from './git.ts';

/** What every operation of this folder works with. */
export interface Place {
  readonly home: string;
  readonly git: Git;
  readonly untrackedBytesMax: number;
  /** Of programs other than git. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface PlaceOptions {
  readonly home: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly untrackedBytesMax?: number;
  /** Git neither reads the user's configuration nor asks anything of his for a login. */
  readonly isolated?: boolean;
}

export function placeOf(options: PlaceOptions): Place {
  return {
    home: options.home,
    git: gitRunner({ env: options.env, exists, isolated: options.isolated === true }),
    untrackedBytesMax: options.untrackedBytesMax ?? 50 * 1024 * 1024,
    env: options.env ?? {},
  };
}

export interface Repository {
  /** Top of the work tree; the git directory itself when bare. */
  readonly root: string;
  readonly gitDir: string;
  /** Shared by all linked work trees. */
  readonly commonDir: string;
  readonly bare: boolean;
}

/** Null when the folder is in no repository. @throws WorldError for every other refusal of git. */
export async function repositoryAt(place: Place, directory: string): Promise<Repository | null> {
  const asked = await place.git.run(
    [
      'rev-parse',
      '--path-format=absolute',
      '--is-bare-repository',
      '--is-inside-work-tree',
      '--git-dir',
      '--git-common-dir',
    ],
    { cwd: directory, accept: [128] },
  );
  if (asked.exit === 128) {
    if (/not a git repository/i.test(asked.stderr)) return null;
    throw new WorldError('git_failed', `git refused ${directory}: ${asked.stderr}`, {
      where: directory,
      found: asked.stderr,
    });
  }
  const [bare, inside, gitDir = '', commonDir = ''] = asked.bytes.toString('utf8').split('\n');
  if (bare === 'true') return { root: gitDir, gitDir, commonDir, bare: true };
  if (inside !== 'true') return repositoryAt(place, dirname(commonDir));
  const root = await place.git.text(['rev-parse', '--show-toplevel'], { cwd: directory });
  return { root, gitDir, commonDir, bare: false };
}

/** @throws WorldError `workspace_failed` when there is no repository. */
export async function needRepository(place: Place, directory: string): Promise<Repository> {
  const repository = await repositoryAt(place, directory);
  if (repository === null) {
    throw new WorldError('workspace_failed', `${directory} is not a git repository`, {
      where: directory,
    });
  }
  return repository;
}

/** One name per repository, whichever of its work trees is asked. */
async function repositoryKey(commonDir: string): Promise<string> {
  return shortHash((await realpathOf(commonDir)) ?? commonDir);
}

/** Check trees of all repositories lie here, a folder for each. */
export const poolsOf = (place: Pick<Place, 'home'>): string => join(place.home, 'check-trees');

export async function poolPath(
  place: Pick<Place, 'home'>,
  repository: Pick<Repository, 'commonDir'>,
): Promise<string> {
  return join(poolsOf(place), await repositoryKey(repository.commonDir));
}

/** Held while refs and lists of work trees of one repository change. */
export async function repositoryLock(place: Place, commonDir: string): Promise<string> {
  return join(place.home, 'locks', `${await repositoryKey(commonDir)}.lock`);
}

export async function commitOf(
  place: Place,
  revision: string,
  call: GitCall,
): Promise<Commit | null> {
  if (revision.startsWith('-') || revision === '') return null;
  const found = await place.git.maybe(
    ['rev-parse', '-q', '--verify', `${revision}^{commit}`],
    call,
  );
  return found === null ? null : (found as Commit);
}

/** The branch that HEAD names, born or not; null when detached. */
export async function branchOf(place: Place, call: GitCall): Promise<string | null> {
  const ref = await place.git.maybe(['symbolic-ref', '-q', 'HEAD'], call);
  return ref === null ? null : ref.replace(/^refs\/heads\//, '');
}

export async function treeIdOf(place: Place, revision: string, call: GitCall): Promise<string> {
  return place.git.text(['rev-parse', '--verify', `${revision}^{tree}`], call);
}

/** Whether `ancestor` is `commit` or behind it. */
export async function isAncestor(
  place: Place,
  [ancestor, commit]: readonly [Commit, Commit],
  call: GitCall,
): Promise<boolean> {
  const answer = await place.git.run(['merge-base', '--is-ancestor', ancestor, commit], {
    ...call,
    accept: [1],
  });
  return answer.exit === 0;
}

/** Holds what was recorded of a run last, so that no receipt names a commit that is gone. */
export const runRef = (run: RunId): string => `refs/pawl/run/${run}`;

/** Moves a ref only from `old` (null: it must not be there). False: somebody else moved it. */
export async function moveRef(
  place: Place,
  move: {
    readonly ref: string;
    readonly to: Commit;
    readonly old: Commit | null;
    readonly why: string;
  },
  call: GitCall,
): Promise<boolean> {
  const zero = '0'.repeat(move.to.length);
  const args = ['update-ref', '-m', move.why, move.ref, move.to, move.old ?? zero];
  const answer = await place.git.run(args, { ...call, accept: [1, 128] });
  if (answer.exit === 0) return true;
  const now = await commitOf(place, move.ref, call);
  if (now === move.old) {
    const code = isForSpace(answer.stderr, call.cwd) ? 'disk_full' : 'git_failed';
    throw new WorldError(code, `git could not move ${move.ref}: ${answer.stderr}`, {
      found: answer.stderr,
    });
  }
  return false;
}

/** Removes a ref that still has this value; one that moved or is gone is left as it is. */
export async function dropRef(
  place: Place,
  [ref, old]: readonly [string, Commit],
  call: GitCall,
): Promise<boolean> {
  const answer = await place.git.run(['update-ref', '-d', ref, old], { ...call, accept: [1, 128] });
  return answer.exit === 0;
}
