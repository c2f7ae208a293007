/** What is said when every check passes before any work (UX 1.4, 4.4-3). */
import type { Definition } from '../../ports/words.ts';
import { short } from '../format.ts';
import { warningLines } from '../problem.ts';
import { firstLine } from '../text.ts';

export interface Green {
  readonly what: string;
  readonly so: string;
  readonly next: string;
}

/** Null where the definition says that the checks only guard, or were not to be tried. */
export function greenFacts(
  names: readonly string[],
  { baseline, source }: Definition,
): Green | null {
  if (baseline !== 'auto' || names.length === 0) return null;
  const { base, baseBranch } = source;
  const quoted = names.map((name) => `"${firstLine(name)}"`).join(' and ');
  const verb = names.length === 1 ? 'passes' : 'pass';
  const at =
    base === null ? 'this folder' : `${baseBranch === null ? '' : `${baseBranch}@`}${short(base)}`;
  const on = base === null ? 'in' : 'on';
  return {
    what: `${quoted} already ${verb} ${on} ${at}`,
    so: 'it guards against breaking things, but cannot prove this goal; a manual look is added at the end',
    next: 'add a check that fails now (--check …)   or  --baseline green-ok   or  criteria[].redFirst',
  };
}

export function greenWarning(names: readonly string[], definition: Definition): readonly string[] {
  const green = greenFacts(names, definition);
  if (green === null) return [];
  const { what, ...details } = green;
  return warningLines('check_green', what, details);
}
