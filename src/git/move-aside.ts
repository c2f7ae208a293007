import { mkdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isWithin, realpathOf } from './files.ts';

/**
 * Moves paths of a tree to a folder of the same disk, names kept; what lies behind a link stays.
 */
export async function moveAside(
  directory: string,
  paths: readonly string[],
  into: string,
): Promise<void> {
  for (const path of paths) {
    const from = join(directory, path.replace(/\/$/, ''));
    const parent = await realpathOf(dirname(from));
    if (parent === null || !isWithin(directory, parent)) continue;
    const to = join(into, path.replace(/\/$/, ''));
    await mkdir(dirname(to), { recursive: true, mode: 0o700 });
    await rename(from, to);
  }
}
