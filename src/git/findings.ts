/**
 * What a human should know about a turn: writes outside scope, protected files, the main checkout.
 */
import { readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Commit, Finding } from '../ports/words.ts';
import type { CheckoutPrint, FindingPolicy, Tree } from '../ports/workspace.ts';
import { changesSince } from './changes.ts';
import { statOf } from './files.ts';
import { fingerprint } from './fingerprint.ts';
import { pawlIdentity } from './git.ts';
import { isOfPawl } from './inspect.ts';
import { outOfScope } from './out-of-scope.ts';
import { type Checked, namesOf } from './own-index.ts';
import { type IsOwnMove, ownLandings } from './own-landings.ts';
import { prove } from './proof.ts';
import { brief, refChanges } from './refs.ts';
import { needRepository, type Place } from './repository.ts';
import { isSameAt, keyName, matcher, splitProtected } from './scope.ts';
import { uncommittedInside } from './submodule-work.ts';

const pathsMax = 20;
const pathLengthMax = 200;

export async function findings(
  place: Place,
  tree: Tree,
  policy: FindingPolicy,
  before: CheckoutPrint,
): Promise<readonly Finding[]> {
  const found: (Finding | null)[] = [];
  if (tree.base !== null) {
    const checked = await checkedOf(place, tree);
    found.push(...(await ofTree(place, { checked, base: tree.base, policy, tree })));
  }
  const now = await fingerprint(place, tree.root);
  const moved = { root: tree.root, before, now, isOwn: await ownLandings(place) };
  if (tree.isolation === 'worktree') found.push(...(await ofCheckout(place, moved)));
  found.push(await ofRefs(place, moved));
  return found.filter((finding): finding is Finding => finding !== null);
}

async function checkedOf(place: Place, tree: Tree): Promise<Checked> {
  if (tree.isolation === 'worktree') return prove(place, tree);
  const { root, gitDir } = await needRepository(place, tree.directory);
  return { directory: root, gitDir, call: { cwd: root } };
}

/** Null when there is nothing to name. */
function finding(
  kind: Finding['kind'],
  all: readonly string[],
  notes: readonly string[] = [],
): Finding | null {
  if (all.length === 0) return null;
  const paths = all.slice(0, pathsMax).map((path) => clipped(path));
  const named = { kind, paths, more: all.length - paths.length };
  return notes.length === 0 ? named : { ...named, notes: notes.slice(0, pathsMax).map(clipped) };
}

function clipped(path: string): string {
  return path.length <= pathLengthMax ? path : `${path.slice(0, pathLengthMax - 1)}…`;
}

interface Looked {
  readonly checked: Checked;
  readonly base: Commit;
  readonly policy: FindingPolicy;
  readonly tree: Tree;
}

async function ofTree(place: Place, looked: Looked): Promise<readonly (Finding | null)[]> {
  const { checked, base, policy } = looked;
  const { paths, leftOut } = await changesSince(place, checked, base);
  const isAllowed = matcher(policy.allowed);
  const { directory } = checked;
  const linkAt = (path: string) => linkIn(directory, path);
  const drifted = await outOfScope(paths, { directory, policy, linkAt });
  const outside = drifted.map(({ path }) => path);
  const links = drifted.flatMap(({ why }) => why ?? []);
  const touched = await protectedTouched(place, { ...looked, paths });
  return [
    finding('drift', outside, links),
    finding(
      'protected',
      touched.filter((path) => !isAllowed(path)),
    ),
    finding('agent_commit', await foreignCommits(place, checked, base)),
    finding('large_untracked', leftOut),
    finding('submodule_uncommitted', await insideSubmodules(place, looked)),
  ];
}

/** Of the run's own tree; what lies in the user's checkout was there before. */
async function insideSubmodules(place: Place, { tree, checked }: Looked) {
  return tree.isolation === 'worktree' ? uncommittedInside(place, checked.directory) : [];
}

async function linkIn(directory: string, path: string): Promise<string | null> {
  const full = join(directory, path);
  const stat = await statOf(full);
  return stat?.isSymbolicLink() === true ? readlink(full) : null;
}

async function protectedTouched(
  place: Place,
  looked: Looked & { readonly paths: readonly string[] },
): Promise<readonly string[]> {
  const { globs, keys } = splitProtected(looked.policy.protected);
  const touched = globs.length === 0 ? [] : looked.paths.filter(matcher(globs));
  for (const key of keys) {
    for (const path of looked.paths.filter(matcher([key.file]))) {
      const before = await textAt(place, looked, path);
      const after = await textOf(join(looked.checked.directory, path));
      if (!isSameAt(before, after, key)) touched.push(keyName(path, key));
    }
  }
  return [...new Set(touched)];
}

/** Content at the base; null when it is not there. */
async function textAt(place: Place, looked: Looked, path: string): Promise<string | null> {
  return place.git.maybe(['cat-file', 'blob', `${looked.base}:${path}`], looked.checked.call);
}

/** Content now, of a file that is one; git prints without its last line break, so this does too. */
async function textOf(path: string): Promise<string | null> {
  const stat = await statOf(path);
  if (stat === null || !stat.isFile()) return null;
  return (await readFile(path, 'utf8')).replace(/\n$/, '');
}

/** Commits that pawl did not make, newest first: short id and subject. */
async function foreignCommits(
  place: Place,
  checked: Checked,
  base: Commit,
): Promise<readonly string[]> {
  const lines = await namesOf(
    place,
    ['log', '-z', '--no-show-signature', '--format=%ce %h %s', `${base}..HEAD`, '--'],
    { ...checked.call, accept: [128] },
  );
  return lines
    .filter((line) => line !== '' && !line.startsWith(`${pawlIdentity.email} `))
    .map((line) => line.slice(line.indexOf(' ') + 1));
}

interface Moved {
  readonly root: string;
  readonly before: CheckoutPrint;
  readonly now: CheckoutPrint;
  readonly isOwn: IsOwnMove;
}

async function ofRefs(place: Place, { root, before, now, isOwn }: Moved): Promise<Finding | null> {
  const refs = { before: before.refs ?? {}, now: now.refs ?? {} };
  const { said, back } = await refChanges(
    place,
    { cwd: root },
    { ...refs, shown: before.branch, isOwn },
  );
  return finding('refs_changed', said, back);
}

async function ofCheckout(place: Place, checkout: Moved): Promise<readonly (Finding | null)[]> {
  const { root, before, now } = checkout;
  if (now.digest === before.digest) return [];
  const hasMoved = now.head !== before.head || now.branch !== before.branch;
  const moved = hasMoved ? await pathsBetween(place, root, [before.head, now.head]) : [];
  const byMove = new Set(moved);
  const written = [...new Set([...Object.keys(before.paths), ...Object.keys(now.paths)])]
    .filter((path) => before.paths[path] !== now.paths[path])
    .filter((path) => !byMove.has(path) && !isOfPawl(path))
    .sort();
  const places = hasMoved && !isLanded(checkout) ? [moveWords(checkout), ...moved] : [];
  return [finding('foreign_write', written), finding('checkout_moved', places)];
}

function isLanded({ before, now, isOwn }: Moved): boolean {
  if (before.branch === null || before.branch !== now.branch) return false;
  return before.head !== null && now.head !== null && isOwn(now.branch, before.head, now.head);
}

/** `main → other`; on the same branch the commits. */
function moveWords({ before, now }: Moved): string {
  const [from, to] = [before, now].map(({ branch }) => branch ?? 'detached');
  if (from !== to) return `${from} → ${to}`;
  const [was, is] = [before, now].map(({ head }) => (head === null ? 'no commit' : brief(head)));
  return `${from}: ${was} → ${is}`;
}

async function pathsBetween(
  place: Place,
  root: string,
  [from, to]: readonly [string | null, string | null],
): Promise<readonly string[]> {
  if (from === null || to === null || from === to) return [];
  const args = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', from, to];
  return namesOf(place, args, { cwd: root });
}
