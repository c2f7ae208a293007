/** What the run is told and tells of the page that it is handed over with; parts of its unions. */
import type { Digest, Instant } from '../ids.ts';

/** `since`: when it was parked, which says the parking. */
export interface RecordEscalation {
  readonly type: 'record_escalation';
  readonly since: Instant;
  readonly escalation: Digest;
}

export interface EscalationRecorded {
  readonly type: 'escalation.recorded';
  readonly escalation: Digest;
}
