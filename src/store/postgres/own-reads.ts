/** What PostgreSQL says in its own way: arrays, and events in the order of their transactions. */
import type { Position } from '../../ports/store.ts';
import { digestBytes, digestText, toHex } from '../bytes.ts';
import type { All, OwnReads } from '../reads.ts';
import { storedEvent } from '../rows.ts';
import { prefixRange } from '../run-filter.ts';
import {
  followEvents,
  namedRuns,
  openRuns,
  reachesEvent,
  recentRuns,
  referenced,
} from './sql/reads.ts';

export const ownReads = (all: All): OwnReads => ({
  runs: ({ project = null, since = null, limit, match, open }, statuses) => {
    if (match !== undefined) {
      const { from, to } = prefixRange(match);
      return all(namedRuns, project, since, statuses, limit, from, to, match);
    }
    return all(open === true ? openRuns : recentRuns, project, since, statuses, limit);
  },
  eventsAfter: async (after, limit) => {
    const { tx, position } = placeOf(after);
    const rows = await all(followEvents, tx, position, limit);
    return rows.map((row) => ({
      ...storedEvent(row),
      position: `${row.tx}.${row.position}` as Position,
    }));
  },
  reaches: async (at) => {
    const { tx, position } = placeOf(at);
    return (await all(reachesEvent, tx, position)).length > 0;
  },
  unreferenced: async (digests) => {
    const bytes = digests.map((one) => toHex(digestBytes(one)));
    const held = new Set((await all(referenced, bytes)).map(({ digest }) => digestText(digest)));
    return digests.filter((one) => !held.has(one));
  },
});

/** What another kind of store has made is no place here: from the first event on, as for none. */
function placeOf(position: Position | null): { readonly tx: string; readonly position: number } {
  const [tx = '', place = ''] = (position ?? '').split('.');
  return place === '' ? { tx: '0', position: 0 } : { tx, position: Number(place) };
}
