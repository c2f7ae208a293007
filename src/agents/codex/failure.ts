/**
 * What a failed turn of Codex means for the run. `turn.failed` carries no code, only a line that
 * Codex itself composes: its fixed beginnings are read (recorded with 0.171.0), never what follows
 * them, and what begins otherwise is a lane that died, which is tried again.
 */
import type { FailureClass } from '../../domain/execution/state.ts';
import { classOfRefusal, failureTold, type ToldFailure } from '../drivers/failure.ts';

type Meaning = (found: RegExpExecArray) => FailureClass | null;

const is = (found: FailureClass): Meaning => {
  return () => found;
};
const byStatus: Meaning = ([, status]) => classOfRefusal(Number(status));

const beginnings: readonly (readonly [RegExp, Meaning])[] = [
  [/^unexpected status (\d{3})\b/, byStatus],
  [/^exceeded retry limit, last status: (\d{3})\b/, byStatus],
  [/^Codex ran out of room in the model's context window/, is('context_overflow')],
  [/^You['’]ve hit your usage limit/, is('rate_limited')],
  // No money, which no waiting brings back.
  [/^Quota exceeded\./, is('auth_required')],
  [/^stream disconnected before completion/, is('transport_lost')],
  [/^Connection failed/, is('transport_lost')],
  [/^We['’]re currently experiencing high demand/, is('transport_lost')],
  [/^Incomplete response returned, reason: content_filter/, is('human_blocker')],
];

export function failureOf(message: string): ToldFailure {
  // A time of day without a day or a zone is nobody's time.
  return failureTold(classOf(message), message);
}

function classOf(message: string): FailureClass | null {
  for (const [beginning, meaning] of beginnings) {
    const found = beginning.exec(message);
    if (found !== null) return meaning(found);
  }
  return null;
}
