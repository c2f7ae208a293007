/**
 * Checkouts that show the branch which is about to move: each must be clean, and follows by a
 * two-tree merge that refuses to overwrite anything. They follow before the branch moves, since a
 * crash in between then leaves the landing staged, and not its reverse.
 */
import { WorldError } from '../kernel/errors.ts';
import type { Commit } from '../ports/words.ts';
import { exists } from './files.ts';
import { isOfPawl, statusOf } from './inspect.ts';
import type { Place } from './repository.ts';

export interface Step {
  readonly root: string;
  readonly branch: string;
  readonly from: Commit;
  readonly to: Commit;
}
export type Followed =
  | { readonly ok: true; undo(): Promise<void> }
  | { readonly ok: false; readonly paths: readonly string[] };

export async function followCheckouts(place: Place, step: Step): Promise<Followed> {
  const checkouts = await checkoutsOf(place, step);
  for (const directory of checkouts) {
    const blocked = await blockers(place, directory, step);
    if (blocked.length > 0) return { ok: false, paths: blocked };
  }
  const done: string[] = [];
  const undo = async () => {
    for (const directory of done.splice(0)) {
      await place.git.run(['read-tree', '-m', '-u', step.to, step.from], { cwd: directory });
    }
  };
  for (const directory of checkouts) {
    const answer = await place.git.run(['read-tree', '-m', '-u', step.from, step.to], {
      cwd: directory,
      accept: [1, 128],
    });
    if (answer.exit !== 0) {
      await undo();
      return { ok: false, paths: named(answer.stderr) };
    }
    done.push(directory);
  }
  return { ok: true, undo };
}

async function checkoutsOf(place: Place, step: Step): Promise<readonly string[]> {
  const listed = await place.git.text(['worktree', 'list', '--porcelain'], { cwd: step.root });
  const found: string[] = [];
  for (const block of listed.split('\n\n')) {
    const lines = block.split('\n');
    const directory = lines[0]?.replace(/^worktree /, '') ?? '';
    const shows = lines.includes(`branch refs/heads/${step.branch}`);
    if (shows && !lines.includes('bare') && (await exists(directory))) found.push(directory);
  }
  return found;
}

/** Tracked changes, an unfinished merge, or untracked files in the way. */
async function blockers(place: Place, directory: string, step: Step): Promise<readonly string[]> {
  const status = await statusOf(place, directory, { ignored: false });
  const dirty = status
    .filter(({ code, path }) => code !== '??' && !isOfPawl(path))
    .map(({ path }) => path);
  if (dirty.length > 0) return dirty;
  for (const name of ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD']) {
    const open = await place.git.maybe(['rev-parse', '-q', '--verify', name], { cwd: directory });
    if (open !== null) return [`${name} (an unfinished operation)`];
  }
  await place.git.run(['update-index', '-q', '--refresh'], { cwd: directory, accept: [1] });
  const dry = await place.git.run(['read-tree', '-m', '-u', '-n', step.from, step.to], {
    cwd: directory,
    accept: [1, 128],
  });
  return dry.exit === 0 ? [] : named(dry.stderr);
}

/**
 * The paths in git's words, one to a quotation; else the words themselves.
 * @throws WorldError `workspace_busy` when another git has the checkout's index.
 */
function named(stderr: string): readonly string[] {
  if (/index\.lock/.test(stderr)) throw new WorldError('workspace_busy', stderr);
  const quoted = [...stderr.matchAll(/'([^'\n]+)'/g)].map(([, path]) => path ?? '');
  return quoted.length > 0 ? quoted : [stderr];
}
