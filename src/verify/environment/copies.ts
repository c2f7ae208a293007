/**
 * Ignored files that setup or a check needs (`workspace.copy`, often `.env.test`): brought from the
 * project's folder into a check tree, counted in the environment's key, their values redacted.
 */
import { createHash } from 'node:crypto';
import { copyFileSync, cpSync, lstatSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import picomatch from 'picomatch';
import type { CheckTrees } from '../../ports/workspace.ts';
import { leadsInside } from './transfer.ts';

export interface Copies {
  readonly paths: readonly string[];
  /** Path and digest, for the key; folders by name alone. */
  readonly digests: readonly string[];
  /** Values that must not be shown. */
  readonly secrets: readonly string[];
}

/**
 * Entries are globs over ignored files, as for a lane's tree, or plain paths. What is not there or
 * leads out of the project is left out.
 */
export async function readCopies(
  trees: Pick<CheckTrees, 'ignoredPaths'>,
  root: string,
  entries: readonly string[],
): Promise<Copies> {
  const globs = entries.filter((entry) => picomatch.scan(entry).isGlob);
  const ignored = globs.length === 0 ? [] : await trees.ignoredPaths(root);
  const isMatched = picomatch([...globs], { dot: true });
  const matched = ignored.filter((path) => isMatched(path));
  const named = entries.filter((entry) => !globs.includes(entry));
  const paths = [...new Set([...named, ...matched])].filter(
    (path) =>
      leadsInside(root, path) &&
      statSync(join(root, path), { throwIfNoEntry: false }) !== undefined,
  );
  const files = paths.filter((path) => statSync(join(root, path)).isFile());
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

/** Links are followed, modes kept; what the commit itself has at that place is not replaced. */
export function bringCopies(root: string, directory: string, copies: Copies): void {
  for (const path of copies.paths) {
    const [from, to] = [join(root, path), join(directory, path)];
    if (!leadsInside(directory, path)) continue;
    if (lstatSync(to, { throwIfNoEntry: false }) !== undefined) continue;
    mkdirSync(dirname(to), { recursive: true });
    if (statSync(from).isFile()) copyFileSync(from, to);
    else cpSync(from, to, { recursive: true, verbatimSymlinks: true });
  }
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
