/**
 * The refs by which work that a worker hands in twice is known. When its run is over nobody hands
 * in anything more, and they may go: what they name is held by the ref of the run itself.
 */
import type { RunId } from '../ports/words.ts';
import type { PruneItem, PruneSubject } from '../ports/workspace.ts';
import { exists } from './files.ts';
import type { GitCall } from './git.ts';
import { commitOf, dropRef, isAncestor, type Place, repositoryAt, runRef } from './repository.ts';

const prefix = 'refs/pawl/incoming/';

export async function prunableIncoming(
  place: Place,
  root: string,
  subjects: readonly PruneSubject[],
): Promise<readonly PruneItem[]> {
  const repository = (await exists(root)) ? await repositoryAt(place, root) : null;
  if (repository === null) return [];
  const call = { cwd: repository.root };
  const named = await place.git.text(['for-each-ref', '--format=%(refname)', prefix], call);
  const runs = new Set(named.split('\n').map(runIn));
  const items: PruneItem[] = [];
  for (const { run, ended } of subjects) {
    if (!ended || !runs.has(run) || (await goable(place, call, run)).length === 0) continue;
    const safeBecause = `refs of work from workers, of a run that has ended; ${runRef(run)} stays`;
    items.push({ run, path: `${prefix}${run}.*`, branch: null, root, bytes: 0, safeBecause });
  }
  return items;
}

const runIn = (ref: string): string => ref.slice(prefix.length).split('.')[0] ?? '';

export const isIncoming = ({ path }: Pick<PruneItem, 'path'>): boolean => path.startsWith(prefix);

export async function pruneIncoming(place: Place, { root, run }: PruneItem): Promise<void> {
  const repository = (await exists(root)) ? await repositoryAt(place, root) : null;
  if (repository === null || run === null) return;
  const call = { cwd: repository.root };
  for (const held of await goable(place, call, run)) await dropRef(place, held, call);
}

/** Those of a run whose commits are held without them. */
async function goable(place: Place, call: GitCall, run: RunId) {
  const kept = await commitOf(place, runRef(run), call);
  const format = '--format=%(objectname) %(refname)';
  const listed = await place.git.text(['for-each-ref', format, `${prefix}${run}.*`], call);
  const held: Parameters<typeof dropRef>[1][] = [];
  for (const line of listed.split('\n')) {
    const [id = '', ref = ''] = line.split(' ');
    const commit = await commitOf(place, id, call);
    if (kept === null || commit === null || !(await isAncestor(place, [commit, kept], call)))
      continue;
    held.push([ref, commit]);
  }
  return held;
}
