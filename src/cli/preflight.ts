/**
 * What is in the way of a run here, seen before anything is spent (UX 1.5): no git, no commit, a
 * dirty tree, a base behind its upstream.
 */
import { basename } from 'node:path';
import type { CommitId } from '../contract/definition.ts';
import { RequestError } from '../kernel/errors.ts';
import type { Commit } from '../ports/words.ts';
import type { Checkout } from '../ports/workspace.ts';
import { canAsk, choose } from './ask.ts';
import type { Context } from './command.ts';
import { plural, short } from './format.ts';

export interface Ground {
  readonly root: string;
  readonly name: string;
  readonly isolation: 'worktree' | 'none';
  readonly base: CommitId | null;
  readonly baseBranch: string | null;
  readonly includesChanges: boolean;
  readonly notes: readonly string[];
}

/**
 * On a terminal the way out is offered; elsewhere it is refused with what to type.
 * @throws RequestError `not_git`, `no_commit`, `dirty_tree`, `bad_value`, `no_answer`.
 */
export async function preflight(context: Context, isolation: 'worktree' | 'none'): Promise<Ground> {
  const workspace = await context.workspace();
  const checkout = await workspace.inspect(context.directory);
  if (!checkout.git) return await withoutGit(context, checkout.root, isolation);
  const { head } = checkout;
  if (head === null) {
    await offerCommit(context, checkout);
    return await preflight(context, isolation);
  }
  const { base, includesChanges } = await baseOf(context, checkout, head);
  return {
    root: checkout.root,
    name: basename(checkout.root),
    isolation,
    base,
    baseBranch: checkout.branch,
    includesChanges,
    notes: notesOf(checkout),
  };
}

async function withoutGit(
  context: Context,
  root: string,
  isolation: 'worktree' | 'none',
): Promise<Ground> {
  if (isolation === 'worktree' && (await offerGit(context, root)) === 'made') {
    return await preflight(context, isolation);
  }
  const notes = ['no git: no branch, no drift check, no undo'];
  return {
    root,
    name: basename(root),
    isolation: 'none',
    base: null,
    baseBranch: null,
    includesChanges: false,
    notes,
  };
}

/** @throws RequestError `not_git` where nobody can be asked, or who is asked leaves. */
export async function offerGit(
  context: Context,
  root: string,
  without = '--isolation none',
): Promise<'made' | 'without'> {
  const refused = new RequestError('not_git', `${root} is not a git repository`, {
    so: 'there would be no branch, no undo and no drift check',
    next: `git init && git add -A && git commit -m start   or  ${without}`,
  });
  if (!canAsk(context)) throw refused;
  const choice = await choose(context, `${root} is not a git repository.`, {
    g: 'git init and a first commit of everything here',
    n: 'no git (no branch, no undo, no drift check)',
    q: 'quit',
  });
  if (choice === 'q') throw refused;
  if (choice === 'n') return 'without';
  await context.options.make.repository(root);
  return 'made';
}

/** @throws RequestError `no_commit` where nobody can be asked, or who is asked leaves. */
export async function offerCommit(
  context: Context,
  { root, bare }: Pick<GitCheckout, 'root' | 'bare'>,
): Promise<void> {
  const refused = new RequestError('no_commit', `${root} has no commit yet`, {
    so: 'there would be nothing to cut a branch from, and nothing to go back to',
    next: bare
      ? 'push a first commit to it: it is bare, so nothing is committed in it'
      : 'git add -A && git commit -m start   or  git commit --allow-empty -m start',
  });
  if (bare || !canAsk(context)) throw refused;
  const choice = await choose(context, `${root} has no commit yet.`, {
    c: 'commit: an empty first one; your files stay as they are',
    q: 'quit',
  });
  if (choice === 'q') throw refused;
  await context.options.make.emptyCommit(root);
}

type GitCheckout = Extract<Checkout, { git: true }>;

async function baseOf(
  context: Context,
  checkout: GitCheckout,
  head: Commit,
): Promise<{ readonly base: Commit; readonly includesChanges: boolean }> {
  const { given } = context;
  const workspace = await context.workspace();
  const revision = given.text('base');
  const includes = given.has('include-changes');
  if (revision !== null && includes) {
    throw new RequestError('usage', '--base and --include-changes are both given', {
      next: 'keep one of the two',
    });
  }
  if (revision !== null) {
    const base = await workspace.resolve(checkout.root, revision);
    if (base !== null) return { base, includesChanges: false };
    throw new RequestError('bad_value', `"${revision}" is no commit here`, { where: '--base' });
  }
  if (checkout.dirty.length === 0) return { base: head, includesChanges: false };
  if (!includes && (await withoutChanges(context, checkout, head))) {
    return { base: head, includesChanges: false };
  }
  return { base: await workspace.snapshotCheckout(checkout.root, head), includesChanges: true };
}

/** Asked on a terminal. @throws RequestError `dirty_tree` elsewhere, or when it is left. */
async function withoutChanges(
  context: Context,
  checkout: GitCheckout,
  head: Commit,
): Promise<boolean> {
  if (!canAsk(context)) throw dirtyTree(checkout, head);
  const count = checkout.dirty.length;
  const are = count === 1 ? 'is' : 'are';
  const choice = await choose(
    context,
    `${plural(count, 'changed file')} ${are} not in ${headWords(checkout, head)}.`,
    {
      b: 'base on HEAD without them',
      i: "include them (a snapshot commit on the run's branch; your checkout stays as it is)",
      q: 'quit',
    },
  );
  if (choice === 'q') throw dirtyTree(checkout, head);
  return choice === 'b';
}

const headWords = ({ branch }: GitCheckout, head: Commit): string =>
  `${branch ?? 'HEAD'}@${short(head)}`;

function dirtyTree(checkout: GitCheckout, head: Commit): RequestError {
  const [first = '', second, ...rest] = checkout.dirty;
  const shown = [first, ...(second === undefined ? [] : [second])].join(', ');
  const more = rest.length > 0 ? `, ${rest.length} more` : '';
  const at = headWords(checkout, head);
  const isOne = checkout.dirty.length === 1;
  return new RequestError(
    'dirty_tree',
    `${plural(checkout.dirty.length, 'changed file')} ${isOne ? 'is' : 'are'} not in the base commit ${at}`,
    {
      found: `${shown}${more}  (git status)`,
      next: 'commit or stash them, or  --include-changes   or  --base HEAD (work without them)',
      facts: { files: checkout.dirty.slice(0, 100) },
    },
  );
}

function notesOf({ upstream, branch }: GitCheckout): readonly string[] {
  if (upstream === null || upstream.behind === 0) return [];
  return [
    `${branch ?? 'HEAD'} is ${plural(upstream.behind, 'commit')} behind ${upstream.name} (nothing was fetched)`,
  ];
}
