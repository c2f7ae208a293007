import { constants } from 'node:fs';
import { copyFile, mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { WorldError } from '../kernel/errors.ts';
import { isWithin, realpathOf, statOf } from './files.ts';
import type { Place } from './repository.ts';
import { matcher } from './scope.ts';

const filesMax = 100_000;

/**
 * Brings files that git ignores (`.env`) from the user's checkout into a tree. Links are followed
 * and their content copied, so that a write in the tree reaches nothing outside; a file that the
 * tree has already is left alone.
 */
export async function copyIgnored(
  place: Place,
  way: { readonly root: string; readonly directory: string; readonly globs: readonly string[] },
): Promise<void> {
  if (way.globs.length === 0) return;
  const isWanted = matcher(way.globs);
  const ignored = await place.git.list(['ls-files', '-o', '-i', '--exclude-standard', '-z'], {
    cwd: way.root,
  });
  const wanted = ignored.filter((path) => isWanted(path));
  if (wanted.length > filesMax) {
    throw new WorldError('workspace_failed', `workspace.copy names ${wanted.length} files`, {
      so: `at most ${filesMax} are copied; let setup make them`,
    });
  }
  for (const path of wanted) await copyOne(way, path);
}

async function copyOne(way: { root: string; directory: string }, path: string): Promise<void> {
  const from = join(way.root, path);
  const to = join(way.directory, path);
  const source = await realpathOf(from);
  if (source === null || (await statOf(to)) !== null) return;
  if (!(await stat(source)).isFile()) return;
  await mkdir(dirname(to), { recursive: true });
  const parent = await realpathOf(dirname(to));
  if (parent === null || !isWithin(way.directory, parent)) return;
  await copyFile(source, to, constants.COPYFILE_FICLONE);
}
