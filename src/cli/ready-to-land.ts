import type { RunView } from '../ports/client.ts';

/** In a branch of its own, and nobody has taken it yet. */
export const isUnlanded = (view: RunView): boolean =>
  view.status === 'complete' &&
  view.landed === null &&
  view.proposed === undefined &&
  view.branch !== null;

/** Unlanded, and nothing vouches for it any more. */
export const isDamaged = (view: RunView): boolean =>
  isUnlanded(view) && view.receiptDamaged === true;

export const isReadyToLand = (view: RunView): boolean => isUnlanded(view) && !isDamaged(view);
