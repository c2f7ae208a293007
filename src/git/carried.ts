/** What of a repository cannot be carried to a worker, told before anything is spent. */
import { WorldError } from '../kernel/errors.ts';
import type { Commit } from '../ports/words.ts';
import type { GitCall } from './git.ts';
import { namesOf } from './own-index.ts';
import type { Place } from './repository.ts';

const pointer = 'version https://git-lfs.github.com/spec/v1';
const namedMax = 3;
const attributesMax = 1_000;

/**
 * Contents that Git LFS keeps elsewhere: a worker would have their pointers alone, and work on
 * files that are none.
 * @throws WorldError `source_unavailable`
 */
export async function refuseLfs(place: Place, call: GitCall, commit: Commit): Promise<void> {
  if (!(await asksForLfs(place, call, commit))) return;
  const args = ['grep', '-l', '-z', '-F', '-e', pointer, commit];
  const found = await place.git.run(args, { ...call, accept: [1] });
  const prefix = `${commit}:`.length;
  const files = found.bytes
    .toString('utf8')
    .split('\0')
    .filter((name) => name !== '')
    .map((name) => name.slice(prefix));
  if (files.length === 0) return;
  const named = files.slice(0, namedMax).join(', ');
  const more = files.length > namedMax ? ' …' : '';
  throw new WorldError('source_unavailable', 'Git LFS keeps contents that no worker gets', {
    found: `${files.length} of its files: ${named}${more}`,
    so: 'a worker would have pointers in their place',
  });
}

async function asksForLfs(place: Place, call: GitCall, commit: Commit): Promise<boolean> {
  const args = ['ls-tree', '-r', '-z', '--name-only', '--full-tree', commit];
  const names = (await namesOf(place, args, call)).filter((path) =>
    /(^|\/)\.gitattributes$/.test(path),
  );
  for (const name of names.slice(0, attributesMax)) {
    const shown = await place.git.maybe(['cat-file', 'blob', `${commit}:${name}`], call);
    if (shown?.includes('filter=lfs') === true) return true;
  }
  return false;
}

/**
 * A shallow clone lacks what its history stands on.
 * @throws WorldError `source_unavailable`
 */
export async function refuseShallow(place: Place, call: GitCall): Promise<void> {
  const shallow = await place.git.text(['rev-parse', '--is-shallow-repository'], call);
  if (shallow !== 'true') return;
  throw new WorldError('source_unavailable', 'the repository is a shallow clone', {
    where: call.cwd,
    so: 'its history cannot be carried to a worker',
    next: 'git fetch --unshallow',
  });
}
