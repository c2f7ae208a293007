/**
 * Protected paths: what they are at the base and at the commit, by object id, and the putting back
 * of one part of a JSON file (`package.json#scripts`) in a check tree. Whole files are put back by
 * git; what changed is always named (L-A10, L-A11, L-A12).
 */
import { createHash } from 'node:crypto';
import { lstat, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import picomatch from 'picomatch';
import type { Commit } from '../domain/ids.ts';
import { isFields } from '../kernel/json.ts';
import type { CheckTrees } from '../ports/workspace.ts';

export interface ProtectedReport {
  /** Digest over every protected path and its content at the commit. */
  readonly digest: string;
  readonly files: number;
  /** Paths that differ from the base, at most 100, with what they were and are; null: not there. */
  readonly changed: readonly ProtectedChange[];
  readonly changedMore: number;
  /** Put back to base before the checks ran. */
  readonly restored: readonly string[];
}
export interface ProtectedChange {
  readonly path: string;
  readonly base: string | null;
  readonly now: string | null;
}

const changedMax = 100;

/** A part of a JSON file: `package.json#scripts` or `package.json#scripts.test`. */
export interface Part {
  readonly path: string;
  readonly keys: readonly string[];
}

export function splitProtected(entries: readonly string[]): {
  readonly globs: readonly string[];
  readonly parts: readonly Part[];
} {
  const globs: string[] = [];
  const parts: Part[] = [];
  for (const entry of entries) {
    const at = entry.indexOf('#');
    if (at <= 0) globs.push(entry);
    else parts.push({ path: entry.slice(0, at), keys: entry.slice(at + 1).split('.') });
  }
  return { globs, parts };
}

export async function protectedReport(
  trees: Pick<CheckTrees, 'list' | 'show'>,
  where: { readonly root: string; readonly base: Commit; readonly commit: Commit },
  entries: readonly string[],
): Promise<Omit<ProtectedReport, 'restored'>> {
  const { globs, parts } = splitProtected(entries);
  const [before, after] = await Promise.all([
    trees.list(where.root, where.base),
    trees.list(where.root, where.commit),
  ]);
  const isProtected = globs.length === 0 ? () => false : picomatch([...globs], { dot: true });
  const paths = [...new Set([...before.keys(), ...after.keys()])].filter((path) =>
    isProtected(path),
  );
  const all: ProtectedChange[] = paths.map((path) => ({
    path,
    base: before.get(path) ?? null,
    now: after.get(path) ?? null,
  }));
  for (const part of parts) {
    const read = (commit: Commit) => partDigest(trees, where.root, commit, part);
    const [base, now] = [await read(where.base), await read(where.commit)];
    all.push({ path: `${part.path}#${part.keys.join('.')}`, base, now });
  }
  all.sort((a, b) => (a.path < b.path ? -1 : 1));
  const changed = all.filter((one) => one.base !== one.now);
  const lines = all.map((one) => `${one.path}\0${one.now ?? ''}\n`).join('');
  return {
    digest: `sha256:${createHash('sha256').update(lines).digest('hex')}`,
    files: all.length,
    changed: changed.slice(0, changedMax),
    changedMore: Math.max(0, changed.length - changedMax),
  };
}

/** Writes the base's value of the part into the file of the tree; the file's other parts stay. */
export async function restorePart(
  trees: Pick<CheckTrees, 'show'>,
  where: { readonly root: string; readonly base: Commit; readonly directory: string },
  part: Part,
): Promise<boolean> {
  const file = join(where.directory, part.path);
  const bytes = await trees.show(where.root, where.base, part.path);
  if (bytes === null || !(await isPlainFile(file))) return false;
  const base = parse(Buffer.from(bytes).toString('utf8'));
  const now = parse(await readFile(file, 'utf8'));
  if (!isFields(base) || !isFields(now)) return false;
  if (JSON.stringify(valueAt(base, part.keys)) === JSON.stringify(valueAt(now, part.keys))) {
    return false;
  }
  await writeFile(
    file,
    `${JSON.stringify(withValue(now, part.keys, valueAt(base, part.keys)), null, 2)}\n`,
  );
  return true;
}

async function partDigest(
  trees: Pick<CheckTrees, 'show'>,
  root: string,
  commit: Commit,
  part: Part,
): Promise<string | null> {
  const bytes = await trees.show(root, commit, part.path);
  if (bytes === null) return null;
  const value = valueAt(parse(Buffer.from(bytes).toString('utf8')), part.keys);
  if (value === undefined) return null;
  return `sha256:${createHash('sha256').update(JSON.stringify(value)).digest('hex')}`;
}

export function valueAt(value: unknown, keys: readonly string[]): unknown {
  let found = value;
  for (const key of keys) {
    if (!isFields(found) || !Object.hasOwn(found, key)) return undefined;
    found = found[key];
  }
  return found;
}

function withValue(
  value: Record<string, unknown>,
  keys: readonly string[],
  put: unknown,
): Record<string, unknown> {
  const [key, ...rest] = keys;
  if (key === undefined) return value;
  const { [key]: old, ...others } = value;
  if (rest.length === 0) return put === undefined ? others : { ...value, [key]: put };
  return { ...value, [key]: withValue(isFields(old) ? old : {}, rest, put) };
}

export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A file that is not JSON has no such part: both sides then read as absent.
    return undefined;
  }
}

/** A link could lead out of the tree; nothing is written through one. */
async function isPlainFile(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isFile();
  } catch (error: unknown) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}
