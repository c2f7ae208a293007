/**
 * What the models door means for the end of a turn. A door that refuses at the end of a turn has
 * stopped it, whatever the agent says: several exit with 0 after a refusal. What it metered is what
 * was spent.
 */
import type { FailureClass, JobResult, Usage } from '../domain/execution/state.ts';
import type { Instant } from '../domain/ids.ts';
import type { TurnEnd } from '../ports/agent.ts';
import type { DoorClosed, DoorSignal, DoorTrouble } from '../ports/models-door.ts';

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

/**
 * An end that the agent calls none, or whose reason it does not name, while its last call of a
 * model had failed: the door says why (L-E3). A reason that the agent names stands.
 */
export function explainedEnd(end: TurnEnd, trouble: DoorTrouble | null): TurnEnd {
  if (trouble === null || !isUnexplained(end, trouble)) return end;
  const { usage } = end;
  const sessionId = end.outcome === 'lane_died' ? null : end.sessionId;
  const said = 'detail' in end ? `; the agent: ${end.detail}` : '';
  const { class: found, words } = troubles[trouble];
  return { outcome: 'failed', class: found, detail: `${words}${said}`, usage, sessionId };
}

const troubles: Readonly<Record<DoorTrouble, { class: FailureClass; words: string }>> = {
  lost: { class: 'transport_lost', words: "the model service's last answer was lost or broke off" },
  context: {
    class: 'context_overflow',
    words: 'the model service refused the context as too long',
  },
};

function isUnexplained(end: TurnEnd, trouble: DoorTrouble): boolean {
  if (end.outcome !== 'failed') return end.outcome === 'lane_died' || end.outcome === 'turn_ended';
  // Agents call whatever the service refuses a bad request.
  return end.class === 'lane_died' || (trouble === 'context' && end.class === 'dispatch_failed');
}

/** `metered` null: there was no door, and what the agent reported itself stands. */
export function withMetered(result: JobResult, metered: Usage | null): JobResult {
  if (metered === null) return result;
  switch (result.kind) {
    case 'executed':
    case 'failed':
    case 'verified':
    case 'advised':
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
