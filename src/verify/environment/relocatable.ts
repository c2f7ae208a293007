/**
 * Whether prepared paths may stand in another folder than the one they were made in. A Python
 * environment names its folder in every script; an absolute link into the tree leads back to it.
 */
import { walk } from './walk.ts';

export async function isRelocatable(directory: string, paths: readonly string[]): Promise<boolean> {
  for await (const entry of walk(directory, paths)) {
    if (entry.path.endsWith('/pyvenv.cfg')) return false;
    if (entry.target?.startsWith(`${directory}/`) === true) return false;
  }
  return true;
}

/** Folders that hold what a package manager fetched: they depend on lock files, not on sources. */
const dependencyFolders: ReadonlySet<string> = new Set([
  ...['node_modules', '.pnp.cjs', '.pnp.loader.mjs', '.yarn', '.pnpm-store', 'vendor'],
  ...['.venv', 'venv', '.tox', '.nox', 'deps', '.bundle', 'bower_components', '.gradle'],
]);

/**
 * Whether setup made nothing but dependencies. If it also built something (`dist` by a `prepare`
 * script), the result depends on the sources, and is kept for that very tree alone: an old build
 * must not be judged in place of new sources.
 */
export function areDependencies(paths: readonly string[]): boolean {
  return paths.every((path) => {
    const name = path.slice(path.lastIndexOf('/') + 1);
    const inDependencies = path.split('/').some((part) => dependencyFolders.has(part));
    return inDependencies || name.endsWith('.egg-info');
  });
}
