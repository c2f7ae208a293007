/**
 * Ignored files that setup or a check needs (`workspace.copy`, often `.env.test`): brought from the
 * project's folder into a check tree, counted in the environment's key, their values redacted.
 */
import { createHash } from 'node:crypto';
import { copyFileSync, cpSync, lstatSync, mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { leadsInside } from './transfer.ts';

export interface Copies {
  readonly paths: readonly string[];
  /** Path and digest, for the key; folders by name alone. */
  readonly digests: readonly string[];
  /** Values that must not be shown. */
  readonly secrets: readonly string[];
}

/** Entries that lead out of the project or are not there are left out. */
export function readCopies(root: string, entries: readonly string[]): Copies {
  const paths = entries.filter((path) => leadsInside(root, path) && isOwn(root, path));
  const files = paths.filter((path) => lstatSync(join(root, path)).isFile());
  return {
    paths,
    digests: paths.map((path) =>
      files.includes(path)
        ? `${path} ${createHash('sha256')
            .update(readFileSync(join(root, path)))
            .digest('hex')}`
        : path,
    ),
    secrets: files.flatMap((path) => valuesOf(readFileSync(join(root, path), 'utf8'))),
  };
}

/** Files keep their modes; a file that the commit itself has at that place is not replaced. */
export function bringCopies(root: string, directory: string, copies: Copies): void {
  for (const path of copies.paths) {
    const [from, to] = [join(root, path), join(directory, path)];
    if (!leadsInside(directory, path)) continue;
    if (lstatSync(to, { throwIfNoEntry: false }) !== undefined) continue;
    mkdirSync(dirname(to), { recursive: true });
    if (lstatSync(from).isFile()) copyFileSync(from, to);
    else cpSync(from, to, { recursive: true, verbatimSymlinks: true });
  }
}

function isOwn(root: string, path: string): boolean {
  if (lstatSync(join(root, path), { throwIfNoEntry: false }) === undefined) return false;
  const real = relative(realpathSync(root), realpathSync(join(root, path)));
  return real !== '..' && !real.startsWith('../');
}

const secretLengthMin = 6;

/** Values of `NAME=value` lines; short ones and plain words would redact half the output. */
function valuesOf(text: string): readonly string[] {
  if (text.length > 256 * 1024) return [];
  return text.split('\n').flatMap((line) => {
    const value = /^\s*(?:export\s+)?[A-Za-z_]\w*\s*=\s*(["']?)(.*)\1\s*$/.exec(line)?.[2] ?? '';
    const isPlain = /^(?:true|false|test|development|production|localhost|\d+)$/i.test(value);
    return value.length >= secretLengthMin && !isPlain ? [value] : [];
  });
}
