/** What the run is told and tells of a lane that asks for leave; parts of its unions. */
import type { PermissionAsk, PermissionDecision, PermissionGrant } from '../approval/permission.ts';
import type { ApprovalId, ExecutionId } from '../ids.ts';

/** Automation: an execution came to wait for a human. */
export interface OpenPermission {
  readonly type: 'open_permission';
  readonly execution: ExecutionId;
  readonly ask: PermissionAsk;
}

/** Automation: its host says that the lane waits for that no longer. */
export interface VoidPermission {
  readonly type: 'void_permission';
  readonly execution: ExecutionId;
  readonly request: string;
}

/** The lane goes on with this answer. */
export interface PermissionAnswered {
  readonly type: 'permission.answered';
  readonly execution: ExecutionId;
  readonly request: string;
  readonly decision: PermissionDecision;
  /**
   * `matched`: an earlier yes to the same call answers it, and nobody was asked; `withdrawn`: the
   * lane waits no longer.
   */
  readonly why: 'approved' | 'rejected' | 'expired' | 'matched' | 'withdrawn';
  /** By which it is answered. */
  readonly approval: ApprovalId;
  /** What was allowed by it, for later requests; null: nothing. */
  readonly grant: PermissionGrant | null;
}
