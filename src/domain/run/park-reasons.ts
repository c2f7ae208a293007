/** Why a run is handed to its operator: one disposition, one reason (DESIGN §4.1). */
export type Disposition = 'stalled' | 'budget_exhausted' | 'escalated';

export const parkReasons = {
  stalled: ['no_progress', 'replan_cap', 'score_plateau'],
  budget_exhausted: ['steps', 'tokens', 'cost', 'wall', 'day_budget', 'project_budget'],
  escalated: [
    'attempts_exhausted',
    'convergence_signals',
    'dispatch_failed',
    'recovery_exhausted',
    'setup_failed',
    'drift_detected',
    'protected_changed',
    'model_divergence',
    'context_floor',
    'context_overflow',
    'verifier_unavailable',
    'missing_evidence',
    'indeterminate',
    'review_expired',
    'wait_exhausted',
    'unknown_outcome',
    'blocked_by_question',
    'permission_denied',
    'workspace_lost',
    'auth_required',
    'disk_full',
    'internal_error',
  ],
} as const satisfies Record<Disposition, readonly string[]>;

export type ParkReason = (typeof parkReasons)[Disposition][number];
