import type { RunView } from '../ports/client.ts';

/** Verified, in a branch of its own, and nobody has taken it yet. */
export const isReadyToLand = (view: RunView): boolean =>
  view.status === 'complete' &&
  view.landed === null &&
  view.proposed === undefined &&
  view.branch !== null;
