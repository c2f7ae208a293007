/**
 * Work inside submodules. A commit that a turn makes in one moves only a link in the run's own
 * commit, so the commit itself is brought to the user's repository of that submodule, under the
 * run's ref: checks fill their trees from there, a landing means something, and the tree may go.
 * Where the user has no repository of it, his repository of the whole keeps the commit, under
 * `refs/pawl/submodules/`. What is not committed there is in no commit at all and can only be
 * named.
 */
import { join } from 'node:path';
import type { RunId } from '../ports/words.ts';
import { ensureCommit } from './clone.ts';
import { exists, statOf } from './files.ts';
import { boundTo } from './proof.ts';
import { commitOf, needRepository, type Place, runRef } from './repository.ts';
import { depthMax, isPlainFolder, type Submodule, sourceOf, submodulesOf } from './submodules.ts';

export interface SubmoduleWork {
  /** The run's tree. */
  readonly directory: string;
  /** The user's checkout. */
  readonly root: string;
  readonly run: RunId;
}

/**
 * Submodules inside submodules too.
 * @throws WorldError when a commit cannot be kept: a snapshot without it would lose work.
 */
export async function keepSubmoduleCommits(place: Place, work: SubmoduleWork): Promise<void> {
  const { commonDir } = await needRepository(place, work.root);
  await keepBelow(place, { ...work, whole: commonDir }, 0);
}

interface Keeping extends SubmoduleWork {
  /** Git directory of the user's repository of the whole. */
  readonly whole: string;
}

async function keepBelow(place: Place, work: Keeping, depth: number): Promise<void> {
  if (depth >= depthMax) return;
  for (const submodule of await filledOf(place, work.directory)) {
    await keepOne(place, work, submodule);
    const directory = join(work.directory, submodule.path);
    await keepBelow(
      place,
      { ...work, directory, root: join(work.root, submodule.path) },
      depth + 1,
    );
  }
}

async function keepOne(place: Place, work: Keeping, submodule: Submodule): Promise<void> {
  const { commit } = submodule;
  const inner = join(work.directory, submodule.path);
  // Linked, but made elsewhere: there is nothing here to bring.
  if ((await commitOf(place, commit, boundTo(inner))) !== commit) return;
  const own = (await exists(work.root)) ? await sourceOf(place, work.root, submodule) : null;
  const into = own ?? work.whole;
  const call = { cwd: into, env: { GIT_DIR: into } };
  if ((await commitOf(place, commit, call)) === commit) return;
  await ensureCommit(place, { into, from: join(inner, '.git'), commit, env: call.env });
  const kept = `refs/pawl/submodules/${work.run}-${commit.slice(0, 12)}`;
  const ref = into === work.whole ? kept : runRef(work.run);
  await place.git.run(['update-ref', ref, commit], call);
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
