/**
 * What follows a failure, by its class (DESIGN §4.2). Operational failures make a new execution of
 * the same attempt; only `invalid_result` is content and spends one.
 */
import type { FailureClass } from '../execution/state.ts';
import type { ParkReason } from '../run/state.ts';

export type Follow =
  /** A new execution of the same job; spends a re-spawn. */
  | { readonly then: 'requeue' }
  /** The same by another holder; spends a transfer. */
  | { readonly then: 'transfer' }
  /** A stored timer; spends nothing but waiting time. */
  | { readonly then: 'wait' }
  /** A new conversation, once per job; then parked. */
  | { readonly then: 'fresh_session'; readonly reason: ParkReason }
  /** As a failed verification; spends an attempt. */
  | { readonly then: 'content' }
  /** Parked with the budget that is spent. */
  | { readonly then: 'budget' }
  /** Refused in the foreground, else parked. */
  | { readonly then: 'refuse' }
  | { readonly then: 'park'; readonly reason: ParkReason };

export const follows: Readonly<Record<FailureClass, Follow>> = {
  transport_lost: { then: 'transfer' },
  lane_died: { then: 'requeue' },
  window_exhausted: { then: 'requeue' },
  rate_limited: { then: 'wait' },
  context_overflow: { then: 'fresh_session', reason: 'context_overflow' },
  auth_required: { then: 'park', reason: 'auth_required' },
  human_blocker: { then: 'park', reason: 'blocked_by_question' },
  invalid_result: { then: 'content' },
  unknown_outcome: { then: 'park', reason: 'unknown_outcome' },
  dispatch_failed: { then: 'park', reason: 'dispatch_failed' },
  setup_failed: { then: 'refuse' },
  workspace_lost: { then: 'park', reason: 'workspace_lost' },
  budget_exhausted: { then: 'budget' },
};
