/**
 * Whether exactly this message was accepted before its execution ended (XP-15). The rows of an
 * ended execution are gone, so the stream itself is asked; a repeated message is rare, a stream is
 * short.
 */
import { unprovenCancel } from '../domain/execution/end.ts';
import type { ExecutionCommand, ExecutionEvent } from '../domain/execution/message.ts';
import type { ExecutionId } from '../domain/ids.ts';
import type { Store } from '../ports/store.ts';
import { isExecutionEvent } from './fold.ts';
import { runOf } from './run-of.ts';
import { streamOf } from './stream-pages.ts';

type Repeatable = Extract<
  ExecutionCommand,
  { readonly type: 'start' | 'checkpoint' | 'result' | 'cancel_ack' }
>;

type Sealed = Extract<
  ExecutionEvent,
  { readonly type: 'execution.succeeded' | 'execution.failed' | 'execution.exhausted' }
>;

export async function wasAccepted(
  store: Pick<Store, 'events'>,
  execution: ExecutionId,
  command: Repeatable,
): Promise<boolean> {
  let grantHeld = false;
  for await (const { event } of streamOf(store, runOf(execution))) {
    if (!isExecutionEvent(event) || event.id !== execution) continue;
    if (event.type === 'execution.leased') grantHeld = event.grant.id === command.grantId;
    else if (grantHeld && isSame(event, command)) return true;
  }
  return false;
}

function isSame(event: ExecutionEvent, command: Repeatable): boolean {
  switch (command.type) {
    case 'start':
      return event.type === 'execution.started' && event.pid === command.pid;
    case 'checkpoint':
      return event.type === 'execution.checkpointed' && event.body === command.body;
    case 'cancel_ack':
      return command.proof === 'unproven' && event.type === 'execution.unknown'
        ? event.detail === unprovenCancel
        : event.type === 'execution.cancelled' && event.proof === command.proof;
    default:
      return isSealed(event) && event.seal === command.seal;
  }
}

const isSealed = (event: ExecutionEvent): event is Sealed =>
  ['execution.succeeded', 'execution.failed', 'execution.exhausted'].includes(event.type);
