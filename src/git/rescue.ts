/**
 * The files of a tree that git does not find its way in any more (its `.git` was deleted or bent):
 * through the repository of the run they become a commit under a ref of pawl's own. The folder must
 * be one that pawl made, and nothing in it says where the repository is.
 */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { WorldError } from '../kernel/errors.ts';
import type { Tree } from '../ports/workspace.ts';
import { commitTree } from './commit-tree.ts';
import { exists, unique } from './files.ts';
import { stage } from './own-index.ts';
import { provenFolder } from './proof.ts';
import { readRecord, type TreeRecord } from './records.ts';
import type { Place } from './repository.ts';

/** The ref; null where there are no such files, or they are what the tree was cut from. */
export async function rescue(place: Place, tree: Pick<Tree, 'directory'>): Promise<string | null> {
  const record = await readRecord(tree.directory);
  if (record === null || !(await exists(record.commonDir))) return null;
  let directory: string;
  try {
    directory = await provenFolder(place, record.directory);
  } catch (error: unknown) {
    if (error instanceof WorldError && error.code === 'workspace_lost') return null;
    throw error;
  }
  return record.state === 'ready' ? keep(place, record, directory) : null;
}

async function keep(place: Place, record: TreeRecord, directory: string): Promise<string | null> {
  const { commonDir, run, from } = record;
  await mkdir(join(place.home, 'tmp'), { recursive: true, mode: 0o700 });
  const file = join(place.home, 'tmp', `${unique()}.index`);
  const bound = { GIT_DIR: commonDir, GIT_WORK_TREE: directory };
  const call = { cwd: directory, env: { ...bound, GIT_INDEX_FILE: file } };
  try {
    await place.git.run(['read-tree', from], call);
    const { treeId } = await stage(place, directory, { file, call });
    const cut = await place.git.text(['rev-parse', '--verify', `${from}^{tree}`], call);
    if (treeId === cut) return null;
    const message = `pawl: files of a lost tree of run ${run}`;
    const commit = await commitTree(place, { treeId, message, parents: [from] }, call);
    const ref = `refs/pawl/lost/${run}-${commit.slice(0, 8)}`;
    await place.git.run(['update-ref', ref, commit], call);
    return ref;
  } finally {
    await rm(file, { force: true });
    await rm(`${file}.lock`, { force: true });
  }
}

/** What was thrown, and where the files are now. */
export async function withRescue(place: Place, tree: Tree, error: unknown): Promise<unknown> {
  if (!(error instanceof WorldError) || error.code !== 'workspace_lost') return error;
  const ref = await rescue(place, tree);
  if (ref === null) return error;
  const said = `${error.message}; its files are kept as ${ref}`;
  const next = `git branch rescued ${ref}`;
  return new WorldError('workspace_lost', said, { ...error.details, next }, error);
}
