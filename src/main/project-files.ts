/** Detection's view of the disk: bounded reads, nothing written. */
import { readdir, readFile, stat } from 'node:fs/promises';
import type { ProjectFiles } from '../ports/project-files.ts';
import { orNull } from './or-null.ts';

/** No manifest is larger; what is, is not one. */
const bytesMax = 4 * 1024 * 1024;

export function diskProjectFiles(): ProjectFiles {
  return {
    read: async (path) => {
      const facts = await orNull(stat(path));
      if (facts === null || !facts.isFile() || facts.size > bytesMax) return null;
      return await orNull(readFile(path, 'utf8'));
    },
    names: async (folder) => (await orNull(readdir(folder))) ?? [],
  };
}
