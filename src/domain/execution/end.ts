/** How an execution ends, once: by a seal that was accepted, or by the loss of its holder. */
import type { ExecutionId } from '../ids.ts';
import type { LastSigns } from '../recovery/signs.ts';
import type { ExecutionCommand, ExecutionEvent } from './message.ts';
import { isLaneRole } from './roles.ts';
import type { Execution, FailureClass, JobResult, ProofStrength, Usage } from './state.ts';

type Lose = Extract<ExecutionCommand, { type: 'lose' }>;
type Sealing = Pick<
  Extract<ExecutionCommand, { type: 'result' }>,
  'seal' | 'result' | 'attestation' | 'signs'
>;
type Acknowledge = Extract<ExecutionCommand, { type: 'cancel_ack' }>;

export const end = {
  sealed(id: ExecutionId, { seal, result, attestation, signs }: Sealing): ExecutionEvent {
    const failure = failureOf(result);
    const sealed = { seal, result, ...(attestation === undefined ? {} : { attestation }) };
    if (failure === null) return { type: 'execution.succeeded', id, ...sealed };
    return { ...failed(id, failure), ...sealed, ...seenIn(signs) };
  },

  /**
   * Whoever was asked to cancel and is proven gone has cancelled; else nobody can tell (UNKNOWN).
   */
  lost(state: Execution, { class: failure, proof, detail, usage, signs }: Lose): ExecutionEvent {
    const { id } = state;
    const spent = spentBy(usage);
    const isUnproven = state.cancelAsked && proof === 'unproven';
    if (isLane(state) && (failure === 'unknown_outcome' || isUnproven)) {
      return { type: 'execution.unknown', id, detail, ...spent, ...seenIn(signs) };
    }
    if (state.cancelAsked) return { type: 'execution.cancelled', id, proof, ...spent };
    const operational = failure === 'unknown_outcome' ? 'lane_died' : failure;
    const ended = failed(id, { class: operational, proof, detail });
    return { ...ended, ...unsealed, ...spent, ...seenIn(signs) };
  },

  /** Its holder has ended it: proven, it has cancelled; else nobody can tell (XP-21). */
  acknowledged(state: Execution, { proof, usage }: Acknowledge): ExecutionEvent {
    const { id } = state;
    const spent = spentBy(usage);
    if (isLane(state) && proof === 'unproven') {
      return { type: 'execution.unknown', id, detail: unprovenCancel, ...spent };
    }
    return { type: 'execution.cancelled', id, proof, ...spent };
  },
};

/** What an acknowledged cancel without proof is known by in its stream. */
export const unprovenCancel = 'Its holder could not prove that its processes are gone.';

/** Setup and checks are ours to run again, so their outcome is never unknown (DESIGN §4.2). */
const isLane = ({ job: { role } }: Execution): boolean => isLaneRole(role);

/** What was reported before the end counts, whoever reported the end. */
export const spentBy = (usage: Usage | undefined) => (usage === undefined ? {} : { usage });

const seenIn = (signs: LastSigns | undefined) => (signs === undefined ? {} : { signs });

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
