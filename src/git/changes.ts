/** What differs: between two commits, and between a base and a work tree as it lies there. */

import type { Commit } from '../ports/words.ts';
import type { ChangedFile } from '../ports/workspace.ts';
import { splitNul } from './git.ts';
import { type Checked, namesOf, untrackedOf, withOwnIndex } from './own-index.ts';
import { commitOf, type Place, treeIdOf } from './repository.ts';

const plain = ['--no-ext-diff', '--no-textconv'] as const;
const names = ['-z', '--name-only', '--no-renames'] as const;

export async function changedFiles(
  place: Place,
  root: string,
  [from, to]: readonly [Commit, Commit],
): Promise<readonly ChangedFile[]> {
  const answer = await place.git.run(
    ['diff-tree', '-r', '-z', '-M', '--raw', '--numstat', ...plain, from, to],
    { cwd: root },
  );
  return parseChanges(splitNul(answer.bytes));
}

/** How far a branch has gone on since a commit. */
export async function commitsSince(
  place: Place,
  root: string,
  [from, branch]: readonly [Commit, string],
): Promise<number | null> {
  const range = `${from}..refs/heads/${branch}`;
  const counted = await place.git.maybe(['rev-list', '--count', range, '--'], { cwd: root });
  const count = counted === null ? Number.NaN : Number(counted.trim());
  return Number.isSafeInteger(count) ? count : null;
}

const statuses: Readonly<Record<string, ChangedFile['status']>> = {
  A: 'added',
  C: 'added',
  M: 'modified',
  D: 'deleted',
  R: 'renamed',
  T: 'typechange',
};

/** `--raw --numstat -z`: all raw entries first (`:modes ids status`, paths), then the counts. */
export function parseChanges(fields: readonly string[]): readonly ChangedFile[] {
  const status = new Map<string, ChangedFile['status']>();
  let at = 0;
  for (let field = fields[0]; field?.startsWith(':') === true; field = fields[at]) {
    const letter = field.charAt(field.lastIndexOf(' ') + 1);
    const length = letter === 'R' || letter === 'C' ? 3 : 2;
    status.set(fields[at + length - 1] ?? '', statuses[letter] ?? 'modified');
    at += length;
  }
  return parseCounts(fields.slice(at), status);
}

/** `added TAB removed TAB path`, or for a rename an empty path and then both names. */
function parseCounts(
  fields: readonly string[],
  status: ReadonlyMap<string, ChangedFile['status']>,
): readonly ChangedFile[] {
  const changed: ChangedFile[] = [];
  for (let at = 0; at < fields.length; ) {
    const [added = '', removed = '', short = ''] = splitTwice(fields[at] ?? '');
    const path = short === '' ? (fields[at + 2] ?? '') : short;
    at += short === '' ? 3 : 1;
    const counts = [added, removed].map((count) => (count === '-' ? null : Number(count)));
    const kind = status.get(path) ?? 'modified';
    changed.push({ path, status: kind, added: counts[0] ?? null, removed: counts[1] ?? null });
  }
  return changed;
}

/** At the first two tabs only: a path may hold more. */
function splitTwice(field: string): readonly string[] {
  const first = field.indexOf('\t');
  const second = field.indexOf('\t', first + 1);
  return [field.slice(0, first), field.slice(first + 1, second), field.slice(second + 1)];
}

/** At most `bytesMax` bytes, cut at a line, with a last line that says so. */
export async function patch(
  place: Place,
  range: { readonly root: string; readonly from: Commit; readonly to: Commit },
  bytesMax: number,
): Promise<string> {
  const answer = await place.git.run(['diff-tree', '-p', '-M', ...plain, range.from, range.to], {
    cwd: range.root,
    outputBytesMax: bytesMax,
    cut: true,
  });
  const text = answer.bytes.toString('utf8');
  if (!answer.isCut) return text;
  return `${text.slice(0, text.lastIndexOf('\n') + 1)}… cut after ${bytesMax} bytes\n`;
}

export async function sameTree(
  place: Place,
  root: string,
  [a, b]: readonly [Commit, Commit],
): Promise<boolean> {
  const call = { cwd: root };
  return (await treeIdOf(place, a, call)) === (await treeIdOf(place, b, call));
}

export interface TreeChanges {
  /** Every path that differs from base in commits, index, work tree or untracked files. */
  readonly paths: readonly string[];
  readonly leftOut: readonly string[];
}

/** Read through an index of our own, so that no flag of the tree's index hides a file. */
export async function changesSince(
  place: Place,
  tree: Checked,
  base: Commit,
): Promise<TreeChanges> {
  return withOwnIndex(place, tree, async (index) => {
    const paths = new Set<string>();
    const add = async (args: readonly string[]) => {
      for (const path of await namesOf(place, args, index.call)) paths.add(path);
    };
    await add(['diff', ...names, ...plain, '--no-relative', '--ignore-submodules=untracked', base]);
    await add(['diff-index', '--cached', ...names, base]);
    if ((await commitOf(place, 'HEAD', index.call)) !== null) {
      await add(['diff-tree', '-r', ...names, base, 'HEAD']);
    }
    const untracked = await untrackedOf(place, tree.directory, index.call);
    for (const path of untracked.wanted) paths.add(path.toString('utf8'));
    return { paths: [...paths].sort(), leftOut: untracked.leftOut };
  });
}
