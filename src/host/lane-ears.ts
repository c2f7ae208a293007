/**
 * What a lane's program tells, as the rule of liveness wants to hear it. A heartbeat or a retry is
 * no work, and neither are figures or a permission mode.
 */
import type { DeliverySign } from '../domain/liveness/delivery.ts';
import type { LaneEvent } from '../ports/lane-event.ts';
import type { Unseen } from './door-ears.ts';

/** Null: the event says nothing about life. */
export function heardOf(event: LaneEvent): Unseen | null {
  switch (event.kind) {
    case 'text':
    case 'thought':
    case 'session':
      return { kind: 'work' };
    case 'tool_started': {
      const { id, name, timeoutMs } = event;
      return { kind: 'tool_started', id, name, timeoutMs };
    }
    case 'tool_finished':
      return { kind: 'tool_ended', id: event.id };
    case 'permission':
      return { kind: 'asked', tool: event.tool };
    case 'turn_finished':
      return { kind: 'turn_ended' };
    case 'notice':
    case 'withdrawn':
    case 'error':
    case 'limit':
      return { kind: 'notice' };
    case 'started':
    case 'delivery':
    case 'denied':
    case 'question':
    case 'usage':
      return null;
  }
}

const told = { sent: 'sent', typed: 'sent', confirmed: 'seen', failed: 'failed' } as const;

/** What the event says of the prompt; null: nothing. */
export function promptSignOf(event: LaneEvent): DeliverySign | null {
  switch (event.kind) {
    case 'delivery':
      return told[event.state];
    case 'started':
    case 'session':
      return 'seen';
    case 'text':
    case 'thought':
    case 'tool_started':
    case 'tool_finished':
    case 'permission':
    case 'denied':
    case 'question':
      return 'work';
    case 'turn_finished':
    case 'notice':
    case 'withdrawn':
    case 'error':
    case 'limit':
    case 'usage':
      return null;
  }
}
