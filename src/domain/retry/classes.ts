/**
 * What follows a failure, by its class (DESIGN §4.2). Operational failures make a new execution of
 * the same attempt; only `invalid_result` is content and spends one.
 */
import type { FailureClass } from '../execution/state.ts';
import type { ParkReason } from '../run/state.ts';

export type Follow =
  /** A new execution of the same job; spends a re-spawn. */
  | { readonly follow: 'requeue' }
  /** The same by another holder; spends a transfer. */
  | { readonly follow: 'transfer' }
  /** A stored timer; spends nothing but waiting time. */
  | { readonly follow: 'wait' }
  /** A stored timer, longer each time; a bounded number of times, then parked. */
  | { readonly follow: 'back_off'; readonly reason: 'disk_full' }
  /** A new conversation, once per job; then parked. */
  | { readonly follow: 'fresh_session'; readonly reason: ParkReason }
  /** As a failed verification; spends an attempt. */
  | { readonly follow: 'content' }
  /** Parked with the budget that is spent. */
  | { readonly follow: 'budget' }
  /** Refused in the foreground, else parked. */
  | { readonly follow: 'refuse' }
  /** By a host of the server itself, if one may take it; then parked. */
  | { readonly follow: 'here'; readonly reason: ParkReason }
  | { readonly follow: 'park'; readonly reason: ParkReason };

export const follows: Readonly<Record<FailureClass, Follow>> = {
  transport_lost: { follow: 'transfer' },
  lane_died: { follow: 'requeue' },
  window_exhausted: { follow: 'requeue' },
  rate_limited: { follow: 'wait' },
  context_overflow: { follow: 'fresh_session', reason: 'context_overflow' },
  auth_required: { follow: 'park', reason: 'auth_required' },
  human_blocker: { follow: 'park', reason: 'blocked_by_question' },
  invalid_result: { follow: 'content' },
  unknown_outcome: { follow: 'park', reason: 'unknown_outcome' },
  dispatch_failed: { follow: 'park', reason: 'dispatch_failed' },
  setup_failed: { follow: 'refuse' },
  workspace_lost: { follow: 'park', reason: 'workspace_lost' },
  budget_exhausted: { follow: 'budget' },
  disk_full: { follow: 'back_off', reason: 'disk_full' },
  source_unavailable: { follow: 'here', reason: 'dispatch_failed' },
};
