/** What SQLite says in its own way: lists as JSON, events in the order of their commits. */
import type { Position } from '../../ports/store.ts';
import { digestBytes } from '../bytes.ts';
import type { All, OwnReads } from '../reads.ts';
import { storedEvent } from '../rows.ts';
import { prefixRange } from '../run-filter.ts';
import { eventsAfter, reachesEvent } from '../sql/events.ts';
import { isReferenced } from '../sql/references.ts';
import { namedRuns, openRuns, recentRuns } from '../sql/runs.ts';

export const ownReads = (all: All): OwnReads => ({
  runs: ({ project = null, since = null, limit, match, open }, wanted) => {
    const statuses = wanted === null ? null : JSON.stringify(wanted);
    if (match !== undefined) {
      const { from, to } = prefixRange(match);
      return all(namedRuns, project, since, statuses, limit, from, to, match);
    }
    return all(open === true ? openRuns : recentRuns, project, since, statuses, limit);
  },
  eventsAfter: async (position, limit) =>
    (await all(eventsAfter, numberOf(position), limit)).map(storedEvent),
  reaches: async (position) => (await all(reachesEvent, numberOf(position))).length > 0,
  unreferenced: async (digests) => {
    const held = await Promise.all(digests.map((one) => all(isReferenced, digestBytes(one))));
    return digests.filter((_, index) => held[index]?.length === 0);
  },
});

const numberOf = (position: Position | null): number => (position === null ? 0 : Number(position));
