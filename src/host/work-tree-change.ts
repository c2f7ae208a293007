/** When a work tree changed last. */
import { type Dirent, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** A look at the files of a huge tree is cut off: signals must stay cheap. */
const entriesMax = 5_000;
const skipped = new Set(['.git', 'node_modules', '.cache', 'dist', 'target', '__pycache__']);

/** Newest mtime or ctime in the tree, breadth first and bounded. */
export function newestChange(root: string): number {
  const queue = [root];
  let newest = 0;
  let looked = 0;
  for (let at = 0; at < queue.length && looked < entriesMax; at += 1) {
    const directory = queue[at] ?? root;
    for (const entry of entriesOf(directory)) {
      looked += 1;
      const path = join(directory, entry.name);
      newest = Math.max(newest, changedAt(path));
      if (entry.isDirectory() && !skipped.has(entry.name)) queue.push(path);
    }
  }
  return newest;
}

function entriesOf(directory: string): readonly Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    // The agent removed it while we looked: nothing changed there that still exists.
    return [];
  }
}

function changedAt(path: string): number {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? 0 : Math.max(found.mtimeMs, found.ctimeMs);
}
