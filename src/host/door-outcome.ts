/**
 * What the models door means for the end of a turn. A door that refuses at the end of a turn has
 * stopped it, whatever the agent says: several exit with 0 after a refusal. What it metered is what
 * was spent.
 */
import type { FailureClass, JobResult, Usage } from '../domain/execution/state.ts';
import type { Instant } from '../domain/ids.ts';
import type { DoorClosed, DoorSignal } from '../ports/models-door.ts';

export type DoorStop =
  | { readonly how: 'limit'; readonly until: Instant | null }
  | { readonly how: 'failed'; readonly class: FailureClass; readonly detail: string };

/** Null: the door was open at the end, so that nothing was stopped by it (L-E11, L-F8). */
export function doorStop(closed: DoorClosed | null): DoorStop | null {
  switch (closed?.why) {
    case undefined:
      return null;
    case 'limit':
      return { how: 'limit', until: closed.until };
    case 'budget': {
      const detail = `the budget (${closed.limit}) was spent inside the turn`;
      return { how: 'failed', class: 'budget_exhausted', detail };
    }
    case 'credential': {
      const detail = 'the model service refused the key';
      return { how: 'failed', class: 'auth_required', detail };
    }
    case 'upstream': {
      const detail = 'the model service failed three times in a row';
      return { how: 'failed', class: 'transport_lost', detail };
    }
  }
}

/** `metered` null: there was no door, and what the agent reported itself stands. */
export function withMetered(result: JobResult, metered: Usage | null): JobResult {
  if (metered === null) return result;
  switch (result.kind) {
    case 'executed':
    case 'failed':
    case 'verified':
      return { ...result, usage: metered };
    case 'prepared':
      return result;
  }
}

/** One line for the journal; null for what happens at every call. */
export function doorNote(signal: DoorSignal): string | null {
  switch (signal.kind) {
    case 'refused':
      return `models door: refused ${signal.reason} ${signal.detail}`.trim();
    case 'limit_parked':
      return `models door: limit until ${timeOf(signal.until)} (${signal.why})`;
    case 'limit_waiting':
      return `models door: limit, the agent waits until ${timeOf(signal.until)}`;
    case 'credential_refused':
      return `models door: ${signal.vendor} refused the key (${signal.status})`;
    case 'upstream_down':
      return `models door: the service failed ${signal.failures} times in a row`;
    case 'server_tool_seen':
      return `models door: the tool ${signal.tool} ran at the provider`;
    default:
      return null;
  }
}

function timeOf(until: Instant | null): string {
  return until === null ? 'an unknown time' : new Date(until).toISOString();
}
