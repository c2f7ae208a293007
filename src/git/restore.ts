/** Puts paths of a tree back to what they are at a base, and touches nothing else. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Commit } from '../ports/words.ts';
import { changesSince } from './changes.ts';
import { isWithin, realpathOf, statOf } from './files.ts';
import type { Checked } from './own-index.ts';
import type { Place } from './repository.ts';
import {
  isSameAt,
  keyName,
  matcher,
  type ProtectedKey,
  splitProtected,
  valueAt,
  withValueAt,
} from './scope.ts';

/** Answers what it put back; paths as findings name them (`package.json#scripts` for a key). */
export async function restoreTo(
  place: Place,
  tree: Checked,
  base: Commit,
  entries: readonly string[],
): Promise<readonly string[]> {
  const { globs, keys } = splitProtected(entries);
  if (globs.length + keys.length === 0) return [];
  const { paths, leftOut } = await changesSince(place, tree, base);
  const whole = globs.length === 0 ? [] : [...paths, ...leftOut].filter(matcher(globs));
  await restoreWhole(place, tree, base, whole);
  const restored = [...whole];
  for (const key of keys) {
    for (const path of paths.filter(matcher([key.file]))) {
      if (whole.includes(path)) continue;
      if (await restoreKey(place, { tree, base, key, path })) restored.push(keyName(path, key));
    }
  }
  return restored;
}

async function restoreWhole(
  place: Place,
  tree: Checked,
  base: Commit,
  paths: readonly string[],
): Promise<void> {
  const atBase: string[] = [];
  const added: string[] = [];
  for (const path of paths) {
    ((await isAt(place, tree, base, path)) ? atBase : added).push(path);
  }
  const nul = (list: readonly string[]) => list.map((path) => `${path}\0`).join('');
  for (const path of added) await removeWithin(tree.directory, path);
  if (added.length > 0) {
    const args = ['update-index', '--force-remove', '-z', '--stdin'];
    await place.git.run(args, { ...tree.call, input: nul(added) });
  }
  if (atBase.length === 0) return;
  await place.git.run(
    ['checkout', '-q', '-f', '--no-overlay', base, '--pathspec-from-file=-', '--pathspec-file-nul'],
    { ...tree.call, input: nul(atBase) },
  );
}

async function isAt(place: Place, tree: Checked, base: Commit, path: string): Promise<boolean> {
  const listed = await place.git.list(
    ['ls-tree', '-z', '--name-only', base, '--', path],
    tree.call,
  );
  return listed.length > 0;
}

/** A path whose folder leads out of the tree by a link is not ours to remove. */
async function removeWithin(directory: string, path: string): Promise<void> {
  const full = join(directory, path);
  const parent = await realpathOf(dirname(full));
  if (parent === null || !isWithin(directory, parent)) return;
  await rm(full, { recursive: true, force: true });
}

/** Only the one key: what else changed in the file is the agent's work and stays. */
async function restoreKey(
  place: Place,
  what: {
    readonly tree: Checked;
    readonly base: Commit;
    readonly key: ProtectedKey;
    readonly path: string;
  },
): Promise<boolean> {
  const { tree, base, key, path } = what;
  const full = join(tree.directory, path);
  const stat = await statOf(full);
  const after = stat?.isFile() === true ? await readFile(full, 'utf8') : null;
  const before = await place.git.maybe(['cat-file', 'blob', `${base}:${path}`], tree.call);
  if (isSameAt(before, after, key)) return false;
  const mended = mendedKey(before, after, key);
  if (mended === null) await restoreWhole(place, tree, base, [path]);
  else await writeFile(full, mended);
  return true;
}

/** Null when one of the two is missing or no JSON: then the whole file goes back. */
export function mendedKey(
  before: string | null,
  after: string | null,
  key: ProtectedKey,
): string | null {
  if (before === null || after === null) return null;
  try {
    return withValueAt(after, key.steps, valueAt(before, key.steps));
  } catch (error: unknown) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
