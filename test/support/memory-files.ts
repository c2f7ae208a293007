/** A tree of files in memory, by absolute path, as detection reads one. */
import type { ProjectFiles } from '../../src/ports/project-files.ts';

export function memoryFiles(files: Readonly<Record<string, string>>): ProjectFiles {
  return {
    read: async (path) => files[path] ?? null,
    names: async (folder) => {
      const inside = Object.keys(files).filter((path) => path.startsWith(`${folder}/`));
      return [...new Set(inside.map((path) => path.slice(folder.length + 1).split('/')[0] ?? ''))];
    },
  };
}
