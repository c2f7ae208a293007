import { query } from '../query.ts';

export const openApproval = query<
  [
    id: string,
    run: number,
    kind: string,
    askedAt: number,
    expiresAt: number | null,
    execution: string | null,
    args: string | null,
    tool: string | null,
    policy: string | null,
  ]
>(`insert into approvals(id, run, kind, asked_at, expires_at, execution, args_digest, tool_digest,
  policy_digest)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`);

/** Exactly one outcome: whoever comes second changes nothing. */
export const closeApproval = query<
  [id: string, outcome: string, by: string, channel: string, at: number]
>(`update approvals set outcome = $2, resolved_by = $3, channel = $4, resolved_at = $5
where id = $1 and outcome is null`);

export interface ApprovalColumns {
  readonly id: string;
  readonly run: string;
  readonly kind: string;
  readonly asked_at: number;
  readonly expires_at: number | null;
  readonly execution: string | null;
  readonly args_digest: string | null;
  readonly tool_digest: string | null;
  readonly policy_digest: string | null;
}

/** The plus makes it use the index of the open ones. */
export const openApprovals = query<
  [],
  ApprovalColumns
>(`select approvals.id, runs.id as run, approvals.kind, approvals.asked_at, approvals.expires_at,
  approvals.execution, approvals.args_digest, approvals.tool_digest, approvals.policy_digest
from approvals join runs on runs.seq = approvals.run
where approvals.outcome is null order by +approvals.seq`);
