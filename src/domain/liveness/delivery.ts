/**
 * What became of the prompt of the present turn: sent, seen, started, failed (DESIGN §7). Each of
 * them is taken from a sign, never from the time that has passed; what shows no sign stays `sent`.
 */

import { unreachable } from '../../kernel/invariant.ts';

export type DeliveryState = 'sent' | 'seen' | 'started' | 'failed';

/** How a host learns what became of a prompt. */
export type PromptWay =
  /** The program has it when it runs, and what it first tells of itself says that it saw it. */
  | 'given'
  /** It is sent while the program runs, which is told. */
  | 'told'
  /** The program has it when it runs, and tells nothing: what it prints and changes is all. */
  | 'silent';

export type DeliverySign =
  | 'sent'
  | 'seen'
  /** Text, a thought, a tool, a request to the model; of a silent program what it prints. */
  | 'work'
  | 'failed'
  /** The turn is over. */
  | 'ended';

/** `state` null: not sent yet. */
export interface Delivery {
  readonly way: PromptWay;
  readonly state: DeliveryState | null;
}

/** The turn begins: its program runs. */
export function beginDelivery(way: PromptWay): Delivery {
  return { way, state: way === 'told' ? null : 'sent' };
}

/** It only goes on, and `started` and `failed` are the last of a turn. */
export function delivered(delivery: Delivery, sign: DeliverySign): Delivery {
  const { state } = delivery;
  if (state === 'started' || state === 'failed') return delivery;
  switch (sign) {
    case 'sent':
      return state === null ? { ...delivery, state: 'sent' } : delivery;
    case 'seen':
      return state === null ? delivery : { ...delivery, state: 'seen' };
    case 'work':
      // What it did before it had its prompt says nothing of that.
      return state === null ? delivery : { ...delivery, state: 'started' };
    case 'failed':
      return { ...delivery, state: 'failed' };
    case 'ended':
      return isUnknowable(delivery) ? delivery : { ...delivery, state: 'failed' };
    default:
      return unreachable(sign);
  }
}

/** A program that works without a sign is no proof that it was not told what to do. */
const isUnknowable = ({ way, state }: Delivery): boolean => way === 'silent' && state !== null;
