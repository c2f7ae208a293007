/** What each event of an execution means for its state; nothing is refused or checked here. */
import { invariant, unreachable } from '../../kernel/invariant.ts';
import type { ExecutionEvent } from './message.ts';
import type { Execution } from './state.ts';

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
    case 'execution.cancel_requested':
      return { ...state, status: 'CANCEL_REQUESTED', cancelAsked: true };
    case 'execution.recovering':
      return { ...state, status: 'RECOVERING', grant: null };
    case 'execution.succeeded':
      return { ...state, status: 'SUCCEEDED', seal: event.seal };
    case 'execution.failed':
      return { ...state, status: 'FAILED', seal: event.seal, class: event.class };
    case 'execution.exhausted':
      return { ...state, status: 'EXHAUSTED', seal: event.seal, class: event.class };
    case 'execution.cancelled':
      return { ...state, status: 'CANCELLED' };
    case 'execution.unknown':
      return { ...state, status: 'UNKNOWN', class: 'unknown_outcome' };
    case 'execution.reconciled':
      return { ...state, status: 'FAILED', class: 'unknown_outcome' };
    default:
      return unreachable(event);
  }
}
