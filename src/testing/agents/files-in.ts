import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Everything below a folder that is no folder, by whole path. */
export function filesIn(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
}
