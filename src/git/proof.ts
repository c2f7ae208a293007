/**
 * Proof that a folder is the tree that pawl made for a run. Every verb that writes asks for it
 * first, and git is then held to that folder (`GIT_CEILING_DIRECTORIES`), so that a tree that
 * vanishes in between makes git fail instead of finding the repository around it.
 */
import { dirname, join } from 'node:path';
import { WorldError } from '../kernel/errors.ts';
import type { Tree } from '../ports/workspace.ts';
import { isWithin, realpathOf, statOf } from './files.ts';
import type { GitCall } from './git.ts';
import { pointerOf, readRecord, type TreeRecord, worktreesOf } from './records.ts';
import type { Place } from './repository.ts';

export interface Proven {
  readonly directory: string;
  readonly gitDir: string;
  readonly record: TreeRecord;
  /** For git inside the tree and nowhere else. */
  readonly call: GitCall;
}

function lost(directory: string, why: string): WorldError {
  return new WorldError('workspace_lost', `the work tree ${directory} is not usable: ${why}`, {
    where: directory,
    so: 'nothing was written anywhere else',
  });
}

/** Git called in `directory` looks for a repository there, and not above. */
export function heldTo(directory: string): GitCall {
  return { cwd: directory, env: { GIT_CEILING_DIRECTORIES: dirname(directory) } };
}

/** Git on a repository of ours whatever its own configuration says about its work tree. */
export function boundTo(directory: string): GitCall {
  const env = { GIT_DIR: join(directory, '.git'), GIT_WORK_TREE: directory };
  return { cwd: directory, env };
}

/** @throws WorldError `workspace_lost`, naming what is wrong. */
export async function prove(place: Place, tree: Pick<Tree, 'directory'>): Promise<Proven> {
  const record = await readRecord(tree.directory);
  if (record === null) throw lost(tree.directory, 'pawl has no record of having made it');
  const directory = await provenFolder(place, record.directory);
  const call = heldTo(directory);
  const asked = await place.git.maybe(
    ['rev-parse', '--path-format=absolute', '--show-toplevel', '--git-dir', '--git-common-dir'],
    call,
  );
  if (asked === null) throw lost(directory, 'git finds no repository in it');
  const [top = '', gitDir = '', commonDir = ''] = asked.split('\n');
  if ((await realpathOf(top)) !== directory) throw lost(directory, `git takes it for ${top}`);
  if (!(await isGitDirOf({ ...record, directory }, { gitDir, commonDir }))) {
    throw lost(directory, `it belongs to ${gitDir}`);
  }
  return { directory, gitDir, record, call };
}

/** A clone's own, or the private one of this very tree: its file may be bent to another's. */
async function isGitDirOf(
  record: TreeRecord,
  asked: { readonly gitDir: string; readonly commonDir: string },
): Promise<boolean> {
  const real = async (path: string) => (await realpathOf(path)) ?? path;
  const gitDir = await real(asked.gitDir);
  const askedCommon = await real(asked.commonDir);
  if (record.kind === 'clone') {
    return gitDir === join(record.directory, '.git') && askedCommon === gitDir;
  }
  const common = await real(record.commonDir);
  if (askedCommon !== common) return false;
  if (dirname(gitDir) !== join(common, 'worktrees')) return false;
  return (await pointerOf(gitDir)) === join(record.directory, '.git');
}

export async function provenFolder(place: Place, written: string): Promise<string> {
  const stat = await statOf(written);
  if (stat === null) throw lost(written, 'it is gone');
  if (!stat.isDirectory()) throw lost(written, 'it is not a folder any more');
  const directory = await realpathOf(written);
  const ours = await realpathOf(worktreesOf(place.home));
  if (directory === null || ours === null || directory === ours || !isWithin(ours, directory)) {
    throw lost(written, `it lies outside ${worktreesOf(place.home)}`);
  }
  return directory;
}
