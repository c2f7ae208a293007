/**
 * A seal that arrives after its lease was lost (DESIGN §4.2, design/lane-host.md 13): evidence that
 * the execution which replaces it may take as its own result, as long as nobody has begun that one
 * (X7). What an earlier one of the attempt adopted is the caller's to know: it sees the run.
 */
import { err, ok, type Result } from '../../kernel/result.ts';
import type { ExecutionCommand, ExecutionEvent, ExecutionRejection } from './message.ts';
import type { Execution, JobResult, Usage } from './state.ts';

type Adopt = Extract<ExecutionCommand, { type: 'adopt' }>;

export function adopt(
  state: Execution,
  { from, grantId, seal, result, attestation }: Adopt,
): Result<readonly ExecutionEvent[], ExecutionRejection> {
  if (!isOfLost(from, grantId)) return err({ code: 'grant.stale', presented: grantId });
  if (state.adopted === from.id && state.seal === seal) return err({ code: 'already.accepted' });
  const isFree = state.status === 'DISPATCHED' && replaces(state, from) && isTurn(result);
  if (!isFree) return err({ code: 'grant.stale', presented: grantId });
  const told = from.lost?.usage ?? null;
  const rest = { ...result, usage: told === null ? result.usage : beyond(result.usage, told) };
  const { id } = state;
  const sealed = { seal, result: rest, ...(attestation === undefined ? {} : { attestation }) };
  return ok([{ type: 'execution.succeeded', id, ...sealed, adopted: from.id }]);
}

/** Lost without a seal of its own; who was cancelled, or nobody can tell of, is not adopted. */
const isOfLost = ({ status, seal, lost }: Execution, grantId: Adopt['grantId']): boolean =>
  (status === 'FAILED' || status === 'EXHAUSTED') && seal === null && lost?.grant === grantId;

/** Directly, with the same work: what came between would have started in its place. */
const replaces = ({ n, job }: Execution, from: Execution): boolean =>
  n === from.n + 1 &&
  job.role === 'execute' &&
  from.job.role === 'execute' &&
  job.attempt === from.job.attempt &&
  job.restore === from.job.restore;

/** Never a verdict, and nothing that would spend an attempt or a wait a second time. */
function isTurn(result: JobResult): result is Extract<JobResult, { kind: 'executed' }> {
  return (
    result.kind === 'executed' && ['turn_ended', 'question', 'blocked'].includes(result.outcome)
  );
}

/** What its last beat reported was counted when it was lost. */
const beyond = (whole: Usage, told: Usage): Usage => ({
  ...whole,
  costUsd: whole.costUsd === null ? null : Math.max(0, whole.costUsd - (told.costUsd ?? 0)),
  tokensIn: Math.max(0, whole.tokensIn - told.tokensIn),
  tokensOut: Math.max(0, whole.tokensOut - told.tokensOut),
  cacheRead: Math.max(0, whole.cacheRead - told.cacheRead),
  cacheWrite: Math.max(0, whole.cacheWrite - told.cacheWrite),
});
