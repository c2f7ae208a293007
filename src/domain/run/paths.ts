/**
 * Which paths a human allowed to differ. A pattern is a path, a folder (`docs/`), `docs/**`, or a
 * part of a JSON file (`package.json#scripts`), which covers the parts of that part.
 */
import { quotePath } from '../../kernel/text.ts';

/** Of a park over paths: what nobody has allowed yet. */
export interface OpenPaths {
  readonly paths: readonly string[];
  /** So many beyond those that could be named. */
  readonly more: number;
  /** What the command allows, which alone is not enough. */
  readonly given: readonly string[];
}

export function covers(pattern: string, path: string): boolean {
  if (pattern === path || pattern === '**') return true;
  if (pattern.includes('#')) return path.startsWith(`${pattern}.`);
  const folder = pattern.endsWith('/**') ? pattern.slice(0, -2) : pattern;
  return folder.endsWith('/') && path.startsWith(folder);
}

/** The paths that no pattern covers. */
export function uncovered(
  paths: readonly string[],
  patterns: readonly string[],
): readonly string[] {
  return paths.filter((path) => !patterns.some((pattern) => covers(pattern, path)));
}

/** `a, b, c and 4 more`: what is named in a detail. */
export function namePaths(paths: readonly string[], more: number): string {
  const named = paths.slice(0, 3).map(quotePath).join(', ');
  const rest = Math.max(0, paths.length - 3) + more;
  return rest > 0 ? `${named} and ${rest} more` : named;
}
