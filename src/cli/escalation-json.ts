/** The escalation of a run as `show --json` tells it. */
import type { Escalation } from '../ports/escalation.ts';
import type { Digest } from '../ports/words.ts';
import { iso } from './format.ts';

/** `artifact`: where a driver has kept it; null: none has yet. */
export function escalationJson(page: Escalation, artifact: Digest | null) {
  const timed = <T extends { readonly at: number }>(one: T) => ({ ...one, at: iso(one.at) });
  return {
    artifact,
    ...page,
    since: iso(page.since),
    recoveries: page.recoveries.map(timed),
    nudges: page.nudges.map(timed),
  };
}
