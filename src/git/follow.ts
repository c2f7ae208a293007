/**
 * Checkouts that show the branch which is about to move: each must be clean, and follows by a
 * two-tree merge that refuses to overwrite anything, ignored files too. They follow before the
 * branch moves, since a crash in between then leaves the landing staged, and not its reverse.
 */
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WorldError } from '../kernel/errors.ts';
import type { Commit } from '../ports/words.ts';
import { entriesOf, exists, removeTree, unique } from './files.ts';
import { isOfPawl, statusOf } from './inspect.ts';
import { needRepository, type Place } from './repository.ts';

const moveMs = 10 * 60_000;

export interface Step {
  readonly root: string;
  readonly branch: string;
  readonly from: Commit;
  readonly to: Commit;
}
export type Followed =
  | { readonly ok: true; undo(): Promise<void> }
  | ({ readonly ok: false } & Blocked);

interface Blocked {
  readonly paths: readonly string[];
  /** `in_the_way`: what git does not track or ignores, where a file of the landing would be. */
  readonly hindrance: 'changed' | 'unfinished' | 'in_the_way';
}

export async function followCheckouts(place: Place, step: Step): Promise<Followed> {
  const checkouts = await checkoutsOf(place, step);
  for (const directory of checkouts) {
    const blocked = await blockers(place, directory, step);
    if (blocked !== null) return { ok: false, ...blocked };
  }
  const done: string[] = [];
  const undo = async () => {
    for (const directory of done.splice(0)) {
      const stderr = await moveCheckout(place, directory, [step.to, step.from]);
      if (stderr === null) continue;
      throw new WorldError('git_failed', `${directory} could not go back: ${stderr}`, {
        where: directory,
        found: stderr,
      });
    }
  };
  for (const directory of checkouts) {
    const stderr = await moveCheckout(place, directory, [step.from, step.to]);
    if (stderr !== null) {
      await undo();
      return { ok: false, paths: named(stderr), hindrance: 'in_the_way' };
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

/**
 * Index and files of a checkout from one commit to another; null when done, else git's refusal, and
 * then nothing has changed. `read-tree` takes an ignored file for one that may be overwritten, and
 * has no say in that; `checkout` has one. It would move HEAD as well, which must stay: so it is run
 * with a git directory of our own, that shares everything but HEAD.
 */
async function moveCheckout(
  place: Place,
  directory: string,
  [from, to]: readonly [Commit, Commit],
): Promise<string | null> {
  const { gitDir, commonDir } = await needRepository(place, directory);
  const own = join(place.home, 'tmp', `${unique()}.git`);
  const env = { GIT_DIR: own, GIT_WORK_TREE: directory, GIT_INDEX_FILE: join(gitDir, 'index') };
  try {
    await mkdir(join(own, 'info'), { recursive: true, mode: 0o700 });
    await writeFile(join(own, 'HEAD'), `${from}\n`);
    await writeFile(join(own, 'commondir'), `${commonDir}\n`);
    const shared = (await entriesOf(gitDir)).filter((name) => name.startsWith('sharedindex.'));
    for (const name of ['config.worktree', 'info/sparse-checkout', ...shared]) {
      if (await exists(join(gitDir, name))) await copyFile(join(gitDir, name), join(own, name));
    }
    const answer = await place.git.run(
      ['checkout', '-q', '--no-overwrite-ignore', '--detach', to],
      {
        ...{ cwd: directory, env, deadlineMs: moveMs },
        accept: [1, 128],
      },
    );
    return answer.exit === 0 ? null : answer.stderr;
  } finally {
    await removeTree(own, join(place.home, 'trash'));
  }
}

/** Tracked changes, an unfinished merge, or untracked files in the way. */
async function blockers(place: Place, directory: string, step: Step): Promise<Blocked | null> {
  const status = await statusOf(place, directory, { ignored: false });
  const dirty = status
    .filter(({ code, path }) => code !== '??' && !isOfPawl(path))
    .map(({ path }) => path);
  if (dirty.length > 0) return { paths: dirty, hindrance: 'changed' };
  for (const name of ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD']) {
    const open = await place.git.maybe(['rev-parse', '-q', '--verify', name], { cwd: directory });
    if (open === null) continue;
    return { paths: [`${name} (an unfinished operation)`], hindrance: 'unfinished' };
  }
  await place.git.run(['update-index', '-q', '--refresh'], { cwd: directory, accept: [1] });
  const dry = await place.git.run(['read-tree', '-m', '-u', '-n', step.from, step.to], {
    cwd: directory,
    accept: [1, 128],
  });
  return dry.exit === 0 ? null : { paths: named(dry.stderr), hindrance: 'in_the_way' };
}

/**
 * The paths in git's words, one to an indented line or a quotation; else the words themselves.
 * @throws WorldError `workspace_busy` when another git has the checkout's index.
 */
function named(stderr: string): readonly string[] {
  if (/index\.lock/.test(stderr)) throw new WorldError('workspace_busy', stderr);
  const listed = [...stderr.matchAll(/^\t(.+)$/gm)].map(([, path]) => path ?? '');
  if (listed.length > 0) return listed;
  const quoted = [...stderr.matchAll(/'([^'\n]+)'/g)].map(([, path]) => path ?? '');
  return quoted.length > 0 ? quoted : [stderr];
}
