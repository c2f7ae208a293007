/** Exit codes (UX 2.3). One meaning each; a script can tell "needs you" from "broken". */
import type { RunView } from '../ports/client.ts';

export const exits = {
  done: 0,
  failed: 1,
  refused: 2,
  needsOperator: 3,
  waitingHuman: 4,
  overridden: 5,
  bug: 70,
  limited: 75,
  timeout: 124,
  interrupted: 130,
  terminated: 143,
} as const;

export interface Ending {
  readonly view: RunView;
  /** The definition says `onLimit: stop`. */
  readonly stopsAtLimit: boolean;
  /** The run was refused before anything was spent. */
  readonly isRefused: boolean;
}

/** Null while the run goes on by itself. */
export function exitOf({ view, stopsAtLimit, isRefused }: Ending): number | null {
  switch (view.status) {
    case 'complete':
      return view.verification === 'passed' ? exits.done : exits.overridden;
    case 'cancelled':
      return isRefused ? exits.refused : exits.failed;
    case 'needs_operator':
      return exits.needsOperator;
    case 'waiting_human':
    case 'paused':
      return stopsAtLimit && view.resumesAt !== null ? exits.limited : exits.waitingHuman;
    case 'active':
    case 'cancelling':
      return null;
  }
}
