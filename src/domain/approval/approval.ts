/**
 * An approval is a gated act waiting for a human; it has exactly one outcome.
 *
 * Invariants:
 *   A1. An approval is resolved at most once; who comes later is told what it was.
 *   A2. `expired`, `rejected` and `voided` are different facts, and none of them is an approval.
 */
import { err, ok, type Result } from '../../kernel/result.ts';
import type { ApprovalId } from '../ids.ts';

export type ApprovalOutcome = 'approved' | 'rejected' | 'expired' | 'voided';

export type Approval =
  | { readonly status: 'open'; readonly id: ApprovalId }
  | {
      readonly status: 'resolved';
      readonly id: ApprovalId;
      readonly outcome: string;
      readonly by: string;
    };

export interface Resolve {
  readonly approval: ApprovalId;
  readonly outcome: ApprovalOutcome;
  readonly by: string;
}

export type ApprovalRejection =
  | { readonly code: 'approval.resolved'; readonly outcome: string; readonly by: string }
  | { readonly code: 'approval.unknown' };

/** Of the one approval that is known; null when there is none. */
export function resolve(
  known: Approval | null,
  { approval, outcome, by }: Resolve,
): Result<Resolve, ApprovalRejection> {
  if (known === null || known.id !== approval) return err({ code: 'approval.unknown' });
  if (known.status === 'open') return ok({ approval, outcome, by });
  return err({ code: 'approval.resolved', outcome: known.outcome, by: known.by });
}
