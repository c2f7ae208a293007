/** Merging in a scratch tree of ours: no checkout and no branch of the user takes part. */
import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { Commit } from '../ports/words.ts';
import { removeTree, unique } from './files.ts';
import { identityEnv, pawlIdentity } from './git.ts';
import { withLock } from './lock.ts';
import { unregister } from './make-tree.ts';
import { heldTo } from './proof.ts';
import { needRepository, type Place, repositoryLock } from './repository.ts';

export type Merged =
  | { readonly ok: true; readonly treeId: string }
  | { readonly ok: false; readonly paths: readonly string[] };

const lockMs = 120_000;
const mergeMs = 10 * 60_000;

export async function mergeTrees(
  place: Place,
  what: { readonly root: string; readonly target: Commit; readonly head: Commit },
): Promise<Merged> {
  const { commonDir } = await needRepository(place, what.root);
  const lock = await repositoryLock(place, commonDir);
  const folder = join(place.home, 'scratch');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const directory = join(await realpath(folder), unique());
  try {
    await withLock(lock, { waitMs: lockMs }, () =>
      place.git.run(
        ['worktree', 'add', '-q', '--detach', '--no-checkout', directory, what.target],
        { cwd: what.root },
      ),
    );
    return await mergeIn(place, directory, what.head);
  } finally {
    await removeTree(directory, join(place.home, 'trash'));
    await withLock(lock, { waitMs: lockMs }, () => unregister({ commonDir, directory }));
  }
}

async function mergeIn(place: Place, directory: string, head: Commit): Promise<Merged> {
  const call = { ...heldTo(directory), deadlineMs: mergeMs };
  await place.git.run(['reset', '-q', '--hard'], call);
  const answer = await place.git.run(
    ['merge', '-q', '--no-commit', '--no-ff', '--no-verify', '--no-verify-signatures', head],
    { ...call, env: { ...call.env, ...identityEnv(pawlIdentity) }, accept: [1, 2, 128] },
  );
  const unmerged = await place.git.list(['diff', '--name-only', '--diff-filter=U', '-z'], call);
  if (unmerged.length > 0) return { ok: false, paths: unmerged };
  if (answer.exit !== 0) return { ok: false, paths: [answer.stderr] };
  return { ok: true, treeId: await place.git.text(['write-tree'], call) };
}
