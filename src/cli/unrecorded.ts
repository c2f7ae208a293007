/**
 * What is so of a run that has no commit to show: that it has none yet is one case of several, and
 * whoever asks for the work wants to know where it is (UX 5.1: is the work safe).
 */
import { quotePath } from '../kernel/text.ts';
import type { RunView } from '../ports/client.ts';
import type { KeptRef } from '../ports/workspace.ts';
import { short } from './format.ts';
import { stepsFor } from './next.ts';

export interface Unrecorded {
  /** `kept` under a ref, `lost`, `in_place` (nothing is recorded there), or `none`. */
  readonly work: 'kept' | 'lost' | 'in_place' | 'none';
  readonly what: string;
  /** The line that gets on from here. */
  readonly next: string;
  readonly ref: string | null;
}

/** `kept`: newest first, of this run. */
export function unrecorded(view: RunView, kept: readonly KeptRef[], called: string): Unrecorded {
  const [newest] = kept;
  const next = stepsFor(view, called)[0]?.command ?? `${called} show ${view.short}`;
  if (newest !== undefined) {
    const { ref } = newest;
    const what = `${view.short} has recorded no work; what its tree held is kept as ${ref}`;
    const look = view.base === null ? `git show ${ref}` : `git diff ${short(view.base)} ${ref}`;
    return { work: 'kept', what, next: `git branch rescued ${ref}   ·   ${look}`, ref };
  }
  if (view.reason === 'workspace_lost') {
    const what = `${view.short} lost its work tree before anything of it was recorded`;
    return { work: 'lost', what, next, ref: null };
  }
  if (view.branch === null) {
    const what = `${view.short} works in ${quotePath(view.project)} itself: nothing is recorded`;
    const look =
      view.base === null ? `${called} show ${view.short}` : `git diff ${short(view.base)}`;
    return { work: 'in_place', what, next: look, ref: null };
  }
  const isOver = view.status === 'complete' || view.status === 'cancelled';
  const what = `${view.short} has recorded no work${isOver ? '' : ' yet'}`;
  return { work: 'none', what, next: isOver ? `${called} show ${view.short}` : next, ref: null };
}
