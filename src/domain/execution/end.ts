/** How an execution ends, once: by a seal that was accepted, or by the loss of its holder. */
import type { Digest, ExecutionId } from '../ids.ts';
import type { ExecutionCommand, ExecutionEvent } from './message.ts';
import type { Execution, FailureClass, JobResult, ProofStrength, Usage } from './state.ts';

type Lose = Extract<ExecutionCommand, { type: 'lose' }>;

export const end = {
  sealed(id: ExecutionId, seal: Digest, result: JobResult): ExecutionEvent {
    const failure = failureOf(result);
    if (failure === null) return { type: 'execution.succeeded', id, seal, result };
    return { ...failed(id, failure), seal, result };
  },

  /**
   * Whoever was asked to cancel and is proven gone has cancelled; else nobody can tell (UNKNOWN).
   */
  lost(state: Execution, { class: failure, proof, detail, usage }: Lose): ExecutionEvent {
    const { id } = state;
    const spent = spentBy(usage);
    const unknown = { type: 'execution.unknown', id, detail, ...spent } as const;
    if (failure === 'unknown_outcome') return unknown;
    if (!state.cancelAsked)
      return { ...failed(id, { class: failure, proof, detail }), ...unsealed, ...spent };
    return proof === 'unproven' ? unknown : { type: 'execution.cancelled', id, proof, ...spent };
  },
};

/** What was reported before the end counts, whoever reported the end. */
export const spentBy = (usage: Usage | undefined) => (usage === undefined ? {} : { usage });

interface Failure {
  readonly class: FailureClass;
  readonly proof: ProofStrength;
  readonly detail: string;
}

const unsealed = { seal: null, result: null } as const;

/** Null: the result is accepted as a success, which completes nothing (XP-33). */
function failureOf(result: JobResult): Failure | null {
  if (result.kind === 'failed') return result;
  if (result.kind !== 'executed' || result.outcome !== 'invalid_result') return null;
  const detail = 'The result file is not what was agreed.';
  return { class: 'invalid_result', proof: result.end.proof, detail };
}

function failed(id: ExecutionId, failure: Failure) {
  const { class: failureClass, proof, detail } = failure;
  const spent = failureClass === 'window_exhausted' || failureClass === 'budget_exhausted';
  const type = spent ? ('execution.exhausted' as const) : ('execution.failed' as const);
  return { type, id, class: failureClass, proof, detail };
}
