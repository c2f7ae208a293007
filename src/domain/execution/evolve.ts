/** What each event of an execution means for its state; nothing is refused or checked here. */
import { invariant, unreachable } from '../../kernel/invariant.ts';
import type { ExecutionEvent } from './message.ts';
import type { Execution, Usage } from './state.ts';

type Later = Exclude<ExecutionEvent, { type: 'execution.dispatched' }>;

export function evolve(state: Execution | null, event: ExecutionEvent): Execution {
  if (event.type === 'execution.dispatched') {
    const { id, n, job, at } = event;
    const nothingYet = { grant: null, seal: null, class: null, cancelAsked: false } as const;
    return { id, n, job, status: 'DISPATCHED', dispatchedAt: at, ...nothingYet };
  }
  invariant(state !== null, `the stream of an execution begins with its dispatch: ${event.type}`);
  return evolveDispatched(state, event);
}

function evolveDispatched(state: Execution, event: Later): Execution {
  switch (event.type) {
    case 'execution.leased':
      return { ...state, status: 'LEASED', grant: event.grant };
    case 'execution.started':
      return { ...state, status: 'RUNNING' };
    case 'execution.checkpointed':
      return { ...state, status: 'CHECKPOINTED' };
    case 'execution.asked':
      return { ...state, status: 'WAITING_HUMAN', asked: event.ask };
    case 'execution.answered':
      return { ...unasked(state), status: 'RUNNING', answer: event.answer };
    case 'execution.nudged':
      return { ...state, nudges: event.n };
    case 'execution.cancel_requested':
      return { ...unasked(state), status: 'CANCEL_REQUESTED', cancelAsked: true };
    case 'execution.recovering':
      return { ...unasked(state), status: 'RECOVERING', grant: null, ...lostOf(state) };
    case 'execution.succeeded':
      return { ...unasked(state), status: 'SUCCEEDED', seal: event.seal, ...adoptedOf(event) };
    case 'execution.failed':
      return { ...unasked(spent(state, event.usage)), status: 'FAILED', ...sealOf(event) };
    case 'execution.exhausted':
      return { ...unasked(spent(state, event.usage)), status: 'EXHAUSTED', ...sealOf(event) };
    case 'execution.cancelled':
      return { ...state, status: 'CANCELLED' };
    case 'execution.unknown':
      return { ...state, status: 'UNKNOWN', class: 'unknown_outcome', grant: null };
    case 'execution.reconciled':
      return { ...state, status: 'FAILED', class: 'unknown_outcome' };
    default:
      return unreachable(event);
  }
}

/** Whoever goes on, or has ended, waits for nobody (X8). */
function unasked({ asked: _asked, ...state }: Execution): Execution {
  return state;
}

type Of<T extends Later['type']> = Extract<Later, { type: T }>;

const lostOf = ({ grant }: Execution) =>
  grant === null ? {} : { lost: { grant: grant.id, usage: null } };

const spent = (state: Execution, usage: Usage | undefined): Execution =>
  state.lost === undefined || usage === undefined
    ? state
    : { ...state, lost: { ...state.lost, usage } };

const sealOf = ({ seal, class: failure }: Of<'execution.failed' | 'execution.exhausted'>) => ({
  seal,
  class: failure,
});

const adoptedOf = ({ adopted }: Of<'execution.succeeded'>) =>
  adopted === undefined ? {} : { adopted };
