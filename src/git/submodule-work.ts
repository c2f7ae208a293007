/**
 * Work inside submodules. A commit that a turn makes in one moves only a link in the run's own
 * commit, so the commit itself is brought to the user's repository of that submodule, under the
 * run's ref: checks fill their trees from there, a landing means something, and the tree may go.
 * What is not committed there is in no commit at all and can only be named.
 */
import { join } from 'node:path';
import type { RunId } from '../ports/words.ts';
import { ensureCommit } from './clone.ts';
import { exists, statOf } from './files.ts';
import { boundTo } from './proof.ts';
import { commitOf, type Place, runRef } from './repository.ts';
import { isPlainFolder, type Submodule, sourceOf, submodulesOf } from './submodules.ts';

export interface SubmoduleWork {
  /** The run's tree. */
  readonly directory: string;
  /** The user's checkout. */
  readonly root: string;
  readonly run: RunId;
}

/** Those whose commit could not be brought to the user: there is no repository for it. */
export async function keepSubmoduleCommits(
  place: Place,
  work: SubmoduleWork,
): Promise<readonly string[]> {
  const unkept: string[] = [];
  for (const submodule of await filledOf(place, work.directory)) {
    if (!(await keepOne(place, work, submodule))) unkept.push(submodule.path);
  }
  return unkept;
}

async function keepOne(place: Place, work: SubmoduleWork, submodule: Submodule): Promise<boolean> {
  const { commit } = submodule;
  const inner = join(work.directory, submodule.path);
  // Linked, but made elsewhere: there is nothing here to bring.
  if ((await commitOf(place, commit, boundTo(inner))) !== commit) return true;
  const into = await sourceOf(place, work.root, submodule);
  if (into === null) return false;
  const call = { cwd: into, env: { GIT_DIR: into } };
  if ((await commitOf(place, commit, call)) === commit) return true;
  await ensureCommit(place, { into, from: join(inner, '.git'), commit, env: call.env });
  await place.git.run(['update-ref', runRef(work.run), commit], call);
  return true;
}

/** Submodules with changes that are in no commit of theirs. */
export async function uncommittedInside(
  place: Place,
  directory: string,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { path } of await filledOf(place, directory)) {
    const status = ['status', '--porcelain', '-z', '--untracked-files=normal'];
    const call = boundTo(join(directory, path));
    if ((await place.git.list([...status, '--ignore-submodules=none'], call)).length > 0) {
      found.push(path);
    }
  }
  return found;
}

/** A folder without a repository of its own is empty, or the work of somebody who removed it. */
async function filledOf(place: Place, directory: string): Promise<readonly Submodule[]> {
  const filled: Submodule[] = [];
  for (const submodule of await submodulesOf(place, directory)) {
    const inner = join(directory, submodule.path);
    if (!(await isPlainFolder(directory, inner))) continue;
    const stat = await statOf(join(inner, '.git'));
    if (stat?.isDirectory() === true && (await exists(join(inner, '.git/HEAD')))) {
      filled.push(submodule);
    }
  }
  return filled;
}
