import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Everything below a folder that is no folder, by whole path. */
export function filesIn(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Null: there is no such file. A folder, a socket and a link to nowhere are none. */
export function bytesIn(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch (error: unknown) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENXIO' || code === 'EISDIR') return null;
    throw error;
  }
}
