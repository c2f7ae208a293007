/**
 * What of a run lies under refs of pawl's own: unfinished work, and files of trees that were lost.
 */
import type { Commit, RunId } from '../ports/words.ts';
import type { KeptRef } from '../ports/workspace.ts';
import type { Place } from './repository.ts';

const keptMax = 50;

/** Newest first. */
export async function keptRefs(
  place: Place,
  root: string,
  run: RunId,
): Promise<readonly KeptRef[]> {
  const args = [
    'for-each-ref',
    '--sort=-creatordate',
    `--count=${keptMax}`,
    '--format=%(refname) %(objectname)',
    `refs/pawl/lost/${run}[.-]*`,
  ];
  const listed = await place.git.text(args, { cwd: root });
  return listed
    .split('\n')
    .map((line) => line.split(' '))
    .flatMap(([ref = '', id = '']) => (id === '' ? [] : [{ ref, commit: id as Commit }]));
}
