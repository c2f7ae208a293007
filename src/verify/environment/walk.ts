/**
 * Walks the prepared paths of a tree. Everything is synchronous inside a slice and yields between
 * slices: 30,000 single promises cost more than the work, one long block would stop heartbeats.
 */
import { type BigIntStats, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';

export interface Entry {
  /** Relative to the tree, with `/`. */
  readonly path: string;
  readonly kind: 'directory' | 'file' | 'link' | 'other';
  readonly stats: BigIntStats;
  /** Of a link. */
  readonly target: string | null;
}

const sliceEntries = 2_000;

/**
 * Caches that tools keep inside prepared paths: never part of an environment, removed before each
 * check. Only names that no package bears (`coverage` is one, in Python).
 */
const innerCaches: ReadonlySet<string> = new Set([
  '.cache',
  '.vite',
  '.vite-temp',
  '.turbo',
  '.pytest_cache',
  '.mypy_cache',
]);

const outerCaches: ReadonlySet<string> = new Set([
  ...['coverage', '.nyc_output', '.ruff_cache', '__pycache__', '.eslintcache', '.next'],
  ...['.parcel-cache', '.stylelintcache', '.tsbuildinfo', '.DS_Store'],
]);

/** Whether an ignored path of a tree is a known cache: such a one is never prepared. */
export function isCache(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return innerCaches.has(name) || outerCaches.has(name);
}

/**
 * Parents before children, in one fixed order. A path that is not there yields nothing; links are
 * never followed; caches are told, not entered.
 */
export async function* walk(
  directory: string,
  paths: readonly string[],
  onCache: (path: string) => void = () => {},
): AsyncGenerator<Entry> {
  const waiting = [...paths].sort().reverse();
  let seen = 0;
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const entry = entryAt(directory, path);
    if (entry === null) continue;
    yield entry;
    if (entry.kind === 'directory') waiting.push(...children(directory, path, onCache));
    seen += 1;
    if (seen % sliceEntries === 0) await setImmediate();
  }
}

/** Last name first, so that a stack gives them back in order. */
function children(
  directory: string,
  path: string,
  onCache: (path: string) => void,
): readonly string[] {
  const inner: string[] = [];
  for (const name of readdirSync(join(directory, path)).sort().reverse()) {
    if (innerCaches.has(name)) onCache(`${path}/${name}`);
    else inner.push(`${path}/${name}`);
  }
  return inner;
}

function entryAt(directory: string, path: string): Entry | null {
  const full = join(directory, path);
  const stats = lstatSync(full, { bigint: true, throwIfNoEntry: false });
  if (stats === undefined) return null;
  if (stats.isSymbolicLink()) return { path, kind: 'link', stats, target: readlinkSync(full) };
  const kind = stats.isDirectory() ? 'directory' : stats.isFile() ? 'file' : 'other';
  return { path, kind, stats, target: null };
}
