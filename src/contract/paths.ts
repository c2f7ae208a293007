/**
 * Paths and globs of a definition that can mean nothing: each is about the tree of a run, so that
 * an absolute one, one that leaves the tree, or a glob that does not parse is refused by field.
 */
import { RequestError } from '../kernel/errors.ts';
import type { DefinitionFile } from './definition-file.ts';
import type { Merged } from './merge.ts';

type Fields = readonly (readonly [path: readonly string[], isGlob: boolean, of: Of])[];
type Of = (file: DefinitionFile) => readonly string[] | undefined;

const fields: Fields = [
  [['workspace', 'copy'], false, (file) => file.workspace?.copy],
  [['protected'], true, (file) => file.protected],
  [['fileScope'], true, (file) => file.fileScope],
  [['artifacts'], true, (file) => file.artifacts],
  [['context'], false, (file) => file.context],
];

const allowed = 'a path inside the project, relative to its root';

/** Every value that can mean nothing is added to `problems`. */
export function checkPaths(merged: Merged, problems: RequestError[]): void {
  for (const [path, isGlob, of] of fields) {
    const layer = merged.origin([...path]);
    for (const [index, value] of (of(merged.value) ?? []).entries()) {
      const what = pathProblem(value) ?? (isGlob ? globProblem(value) : null);
      if (what === null) continue;
      const where = layer?.where([...path, index]) ?? '';
      problems.push(refused(`${path.join('.')}[${index}]`, what, { where, found: value }));
    }
  }
}

/** Null where the path can be meant; else what is wrong with it, for a sentence. */
export function pathProblem(path: string): string | null {
  if (path.startsWith('/') || path.startsWith('~') || /^[A-Za-z]:[\\/]/.test(path)) {
    return 'is absolute';
  }
  if (path.split(/[\\/]/).includes('..')) return 'leads out of the project';
  return path.includes('\0') ? 'holds a zero byte' : null;
}

export function refused(
  field: string,
  what: string,
  { where, found }: { readonly where: string; readonly found: string },
): RequestError {
  return new RequestError('bad_value', `"${field}" ${what}`, {
    where,
    found,
    allowed: what.includes('bracket') ? 'a glob like src/** or *.{js,ts}' : allowed,
    next: 'correct it, and try:  pawl config check',
  });
}

const closers: Readonly<Record<string, string>> = { '[': ']', '{': '}', '(': ')' };

/** An open bracket matches nothing at all, so that what it should protect is not protected. */
function globProblem(glob: string): string | null {
  const open: string[] = [];
  for (const character of glob.replace(/\\./g, '')) {
    if (open.at(-1) === ']') {
      if (character === ']') open.pop();
      continue;
    }
    const closer = closers[character];
    if (closer !== undefined) open.push(closer);
    else if (character === open.at(-1)) open.pop();
  }
  return open.length === 0 ? null : 'has an open bracket, so it fits nothing';
}
