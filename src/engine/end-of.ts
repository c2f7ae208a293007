import { spentBy } from '../domain/execution/end.ts';
import type { ExecutionEvent } from '../domain/execution/message.ts';
import type { JobEnd } from '../domain/run/message.ts';

/** How the run sees this event of an execution; null when the execution goes on. */
export function endOf(event: ExecutionEvent): JobEnd | null {
  switch (event.type) {
    case 'execution.succeeded':
      return { how: 'sealed', result: event.result };
    case 'execution.failed':
    case 'execution.exhausted':
      return event.result === null
        ? {
            how: 'lost',
            ...{ class: event.class, proof: event.proof, detail: event.detail },
            ...spentBy(event.usage),
          }
        : { how: 'sealed', result: event.result };
    case 'execution.cancelled':
      return { how: 'cancelled', proof: event.proof, ...spentBy(event.usage) };
    case 'execution.unknown':
      return { how: 'unknown', detail: event.detail, ...spentBy(event.usage) };
    default:
      return null;
  }
}
