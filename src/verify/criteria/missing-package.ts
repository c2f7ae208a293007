/**
 * Whether a check failed because a package that it needs is not installed. A missing file of the
 * repository's own is the work's business and never counts: a goal may be to write it.
 */
import type { TestCounts } from '../../domain/verdict/verdict.ts';

/** Node names a package by a bare specifier, its own files by a path. */
const nodePackage = /Cannot find (?:package|module) '((?:@[\w.-]+\/)?[A-Za-z][\w.-]*)(?:\/[^']*)?'/;
const pythonModule = /No module named '?([A-Za-z_]\w*)/;

export function missingPackage(text: string, counts: TestCounts | null): string | null {
  const node = nodePackage.exec(text)?.[0];
  // Some tests passed, so the packages are there and the one missing is a matter of the work.
  if (node !== undefined && (counts?.passed ?? 0) === 0) return node;
  // Python cannot tell a package from a module still to be written; a runner that counted ran.
  const python = pythonModule.exec(text)?.[0];
  return python !== undefined && counts === null ? python : null;
}
