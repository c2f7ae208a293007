/** The artifacts that what an execution handed in names: each gets a row of its own. */
import { type Reference, refer } from '../references.ts';
import type { ExecutionEvent } from './message.ts';
import type { JobResult } from './state.ts';

export function referencesOf(event: ExecutionEvent): readonly Reference[] {
  switch (event.type) {
    case 'execution.checkpointed':
      return refer('checkpoint', event.body);
    case 'execution.succeeded':
    case 'execution.failed':
    case 'execution.exhausted':
      return [
        ...(event.result === null ? [] : referencesIn(event.result)),
        ...refer('attestation', event.attestation ?? null),
      ];
    case 'execution.dispatched':
    case 'execution.leased':
    case 'execution.started':
    case 'execution.asked':
    case 'execution.answered':
    case 'execution.nudged':
    case 'execution.cancel_requested':
    case 'execution.recovering':
    case 'execution.cancelled':
    case 'execution.unknown':
    case 'execution.reconciled':
      return [];
  }
}

/** Also of a result that its run has no use for any more: it is in the stream, and is shown. */
function referencesIn(result: JobResult): readonly Reference[] {
  switch (result.kind) {
    case 'prepared':
      return [
        ...refer('receipt', result.receipt),
        ...refer('detail', result.detail),
        ...outputs(result.outputs),
      ];
    case 'executed':
      return [
        ...refer('text', result.text),
        ...refer('journal', result.journal),
        ...refer('statement', result.artifacts?.statement ?? null),
      ];
    case 'verified':
      return [
        ...refer('verdict', result.verdict),
        ...refer('receipt', result.facts.receipt),
        ...outputs(result.outputs),
        ...refer('journal', result.journal ?? null),
      ];
    case 'advised':
    case 'failed':
      return [...refer('text', result.text), ...refer('journal', result.journal ?? null)];
  }
}

const outputs = (digests: Extract<JobResult, { kind: 'verified' }>['outputs'] = []) =>
  digests.flatMap((digest) => refer('output', digest));
