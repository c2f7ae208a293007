/**
 * The shelf of prepared environments, `$PAWL_HOME/environments/<id>/`: what setup made, under the
 * key of what it was made from. An entry appears by one rename, whole or not at all; the least
 * recently used go when the shelf is over its bytes.
 *
 * Check trees may share inodes with the shelf (hard links), and linking moves a ctime. So a file
 * whose ctime alone moved is read and compared with the digest taken after setup: a write is found
 * even when the writer put size and mtime back.
 */
import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { cp } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock } from '../../ports/clock.ts';
import { differences, type Manifest, manifestOf } from './manifest.ts';
import { removePaths } from './transfer.ts';
import { walk } from './walk.ts';

export interface ShelfEntry {
  readonly id: string;
  readonly paths: readonly string[];
  readonly files: number;
  readonly bytes: number;
  /** False: its files name the folder they were made in; setup runs in each tree itself. */
  readonly relocatable: boolean;
  readonly setupMs: number;
  /**
   * Tracked files that setup changed, at most 20; absent: none, or made before it was looked at.
   */
  readonly changed?: readonly string[];
  readonly madeAt: number;
}

type Adopted = 'id' | 'paths' | 'relocatable' | 'setupMs' | 'changed';

export interface Shelf {
  find(ids: readonly string[]): ShelfEntry | null;
  /** Takes the paths out of the tree, unless the entry is not relocatable: then only its facts. */
  adopt(entry: Pick<ShelfEntry, Adopted>, directory: string): Promise<ShelfEntry>;
  treeOf(id: string): string;
  /** As it was when it was last proven intact. */
  manifest(id: string): Manifest | null;
  /** Proves the entry untouched since setup, by contents where a ctime moved; else what differs. */
  prove(entry: ShelfEntry): Promise<readonly string[]>;
  discard(id: string): Promise<void>;
}

const staleMs = 24 * 3_600_000;

export function diskShelf(options: {
  readonly directory: string;
  readonly bytesMax: number;
  readonly clock: Clock;
}): Shelf {
  const { directory, clock } = options;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const at = (id: string, name: string) => join(directory, id, name);
  const manifest = (id: string) => readOrNull(at(id, 'manifest'));
  return {
    find(ids) {
      for (const id of ids) {
        const meta = readOrNull(at(id, 'meta.json'));
        if (meta === null) continue;
        const now = clock.now() / 1000;
        utimesSync(at(id, 'meta.json'), now, now);
        return JSON.parse(meta);
      }
      return null;
    },
    adopt: (entry, from) => adopt(options, entry, from),
    treeOf: (id) => at(id, 'tree'),
    manifest,
    prove: (entry) => prove(at(entry.id, ''), entry.paths),
    discard: (id) => remove(directory, id),
  };
}

async function adopt(
  options: { readonly directory: string; readonly bytesMax: number; readonly clock: Clock },
  entry: Pick<ShelfEntry, Adopted>,
  from: string,
): Promise<ShelfEntry> {
  const aside = join(options.directory, `.new-${randomBytes(8).toString('hex')}`);
  mkdirSync(join(aside, 'tree'), { recursive: true, mode: 0o700 });
  const place = entry.relocatable ? join(aside, 'tree') : from;
  if (entry.relocatable) for (const path of entry.paths) await move(from, place, path);
  const contents = await contentsOf(place, entry.paths);
  const made: ShelfEntry = {
    ...entry,
    files: Object.keys(contents.digests).length,
    bytes: entry.relocatable ? contents.bytes : 0,
    madeAt: options.clock.now(),
  };
  if (entry.relocatable) {
    writeFileSync(join(aside, 'contents.json'), JSON.stringify(contents.digests));
    writeFileSync(join(aside, 'manifest'), await manifestOf(place, entry.paths));
  }
  writeFileSync(join(aside, 'meta.json'), JSON.stringify(made));
  await remove(options.directory, entry.id);
  renameSync(aside, join(options.directory, entry.id));
  await evict(options, entry.id);
  return made;
}

async function move(from: string, to: string, path: string): Promise<void> {
  mkdirSync(dirname(join(to, path)), { recursive: true });
  try {
    renameSync(join(from, path), join(to, path));
  } catch (error: unknown) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EXDEV')) throw error;
    const options = { recursive: true, verbatimSymlinks: true, preserveTimestamps: true };
    await cp(join(from, path), join(to, path), options);
    await removePaths(from, [path]);
  }
}

async function contentsOf(directory: string, paths: readonly string[]) {
  const digests: Record<string, string> = {};
  let bytes = 0;
  for await (const entry of walk(directory, paths)) {
    if (entry.kind !== 'file') continue;
    digests[entry.path] = fileDigest(join(directory, entry.path));
    bytes += Number(entry.stats.size);
  }
  return { digests, bytes };
}

async function prove(entryDirectory: string, paths: readonly string[]): Promise<readonly string[]> {
  const tree = join(entryDirectory, 'tree');
  const before = readOrNull(join(entryDirectory, 'manifest')) ?? '';
  const now = await manifestOf(tree, paths);
  if (now === before) return [];
  const digests: Record<string, string> = JSON.parse(
    readOrNull(join(entryDirectory, 'contents.json')) ?? '{}',
  );
  const wrong = differences(before, now, Number.MAX_SAFE_INTEGER).filter((path) => {
    const known = digests[path];
    return known === undefined || digestOrNull(join(tree, path)) !== known;
  });
  // Modes and links are no content: they must be what they were.
  const shape = differences(withoutTimes(before), withoutTimes(now));
  if (wrong.length === 0 && shape.length === 0) {
    replaceFile(join(entryDirectory, 'manifest'), now);
    return [];
  }
  return [...new Set([...wrong, ...shape])].slice(0, 5);
}

/** Kind, path, mode and size of files; all of the rest. */
function withoutTimes(manifest: Manifest): Manifest {
  return manifest.replace(/^(f "(?:[^"\\]|\\.)*" \d+ \d+) .*$/gm, '$1');
}

async function remove(directory: string, id: string): Promise<void> {
  const aside = `.trash-${randomBytes(8).toString('hex')}`;
  try {
    renameSync(join(directory, id), join(directory, aside));
  } catch (error: unknown) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return;
    throw error;
  }
  await removePaths(directory, [aside]);
}

/** Least recently used first; the one just made stays, whatever its size. */
async function evict(
  options: { readonly directory: string; readonly bytesMax: number; readonly clock: Clock },
  spared: string,
): Promise<void> {
  const entries: { id: string; bytes: number; usedAt: number }[] = [];
  for (const name of readdirSync(options.directory)) {
    const meta = readOrNull(join(options.directory, name, 'meta.json'));
    if (name.startsWith('.')) await removeStale(options, name);
    else if (meta !== null) {
      const entry: ShelfEntry = JSON.parse(meta);
      const { mtimeMs } = statSync(join(options.directory, name, 'meta.json'));
      entries.push({ id: name, bytes: entry.bytes, usedAt: mtimeMs });
    }
  }
  let total = entries.reduce((sum, one) => sum + one.bytes, 0);
  for (const one of entries.sort((a, b) => a.usedAt - b.usedAt)) {
    if (total <= options.bytesMax) return;
    if (one.id === spared) continue;
    await remove(options.directory, one.id);
    total -= one.bytes;
  }
}

/** What a killed process left half made or half removed. */
async function removeStale(
  options: { readonly directory: string; readonly clock: Clock },
  name: string,
): Promise<void> {
  if (!/^\.(?:new|trash)-/.test(name)) return;
  const stats = statSync(join(options.directory, name), { throwIfNoEntry: false });
  if (stats !== undefined && options.clock.now() - stats.mtimeMs > staleMs) {
    await removePaths(options.directory, [name]);
  }
}

function fileDigest(path: string): string {
  const hash = createHash('sha256');
  const file = openSync(path, 'r');
  try {
    const buffer = Buffer.allocUnsafe(64 * 1024);
    for (let read = -1; read !== 0; ) {
      read = readSync(file, buffer, 0, buffer.length, null);
      hash.update(buffer.subarray(0, read));
    }
  } finally {
    closeSync(file);
  }
  return hash.digest('base64');
}

function digestOrNull(path: string): string | null {
  try {
    return fileDigest(path);
  } catch (error: unknown) {
    // A file that is gone or unreadable is not the file that setup made.
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
}

function replaceFile(path: string, text: string): void {
  const aside = `${path}.${process.pid}`;
  writeFileSync(aside, text);
  rmSync(path, { force: true });
  renameSync(aside, path);
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error: unknown) {
    if (error instanceof Error && 'code' in error) {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    }
    throw error;
  }
}
