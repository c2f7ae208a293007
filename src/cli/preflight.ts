/**
 * What is in the way of a run here, seen before anything is spent (UX 1.5): no git, no commit, a
 * dirty tree, a base behind its upstream.
 */
import { basename, relative } from 'node:path';
import type { CommitId } from '../contract/definition.ts';
import { RequestError } from '../kernel/errors.ts';
import type { Commit } from '../ports/words.ts';
import type { Checkout, Workspace } from '../ports/workspace.ts';
import { plural, short } from './format.ts';
import type { Arguments } from './parse.ts';

export interface Ground {
  readonly root: string;
  readonly name: string;
  /** Where setup and checks run, below the root. */
  readonly cwd: string;
  readonly base: CommitId | null;
  readonly baseBranch: string | null;
  readonly includesChanges: boolean;
  readonly notes: readonly string[];
}

export interface PreflightRequest {
  readonly workspace: Workspace;
  readonly directory: string;
  /** Absolute: where setup and checks run. */
  readonly checksIn: string;
  readonly isolation: 'worktree' | 'none';
  readonly given: Arguments;
}

/** @throws RequestError `not_git`, `no_commit`, `dirty_tree`, `bad_value`. */
export async function preflight(request: PreflightRequest): Promise<Ground> {
  const { workspace, directory, isolation } = request;
  const checkout = await workspace.inspect(directory);
  if (!checkout.git) return withoutGit(checkout.root, isolation);
  const head = checkout.head;
  if (head === null) {
    throw new RequestError('no_commit', `${checkout.root} has no commit yet`, {
      so: 'there would be nothing to cut a branch from, and nothing to go back to',
      next: 'git add -A && git commit -m start   or  git commit --allow-empty -m start',
    });
  }
  const { base, includesChanges } = await baseOf(request, checkout, head);
  return {
    root: checkout.root,
    name: basename(checkout.root),
    cwd: below(checkout.root, request.checksIn),
    base,
    baseBranch: checkout.branch,
    includesChanges,
    notes: notesOf(checkout),
  };
}

function below(root: string, folder: string): string {
  const path = relative(root, folder);
  return path.startsWith('..') ? '' : path;
}

function withoutGit(root: string, isolation: 'worktree' | 'none'): Ground {
  if (isolation !== 'none') {
    throw new RequestError('not_git', `${root} is not a git repository`, {
      so: 'there would be no branch, no undo and no drift check',
      next: 'git init && git add -A && git commit -m start   or  --isolation none',
    });
  }
  const notes = ['no git: no branch, no drift check, no undo'];
  return {
    root,
    name: basename(root),
    cwd: '',
    base: null,
    baseBranch: null,
    includesChanges: false,
    notes,
  };
}

type GitCheckout = Extract<Checkout, { git: true }>;

async function baseOf(
  { workspace, given }: PreflightRequest,
  checkout: GitCheckout,
  head: Commit,
): Promise<{ readonly base: Commit; readonly includesChanges: boolean }> {
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
  if (!includes) throw dirtyTree(checkout, head);
  return { base: await workspace.snapshotCheckout(checkout.root, head), includesChanges: true };
}

function dirtyTree(checkout: GitCheckout, head: Commit): RequestError {
  const [first = '', second, ...rest] = checkout.dirty;
  const shown = [first, ...(second === undefined ? [] : [second])].join(', ');
  const more = rest.length > 0 ? `, ${rest.length} more` : '';
  const at = `${checkout.branch ?? 'HEAD'}@${short(head)}`;
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
