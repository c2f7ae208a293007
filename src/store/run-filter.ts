import type { RunFilter, RunRow } from '../ports/store.ts';

const prefixMin = 3;

/** All of a filter but `open` and `limit`; what SQL says in `sql/runs.ts` is the same. */
export function matches(filter: RunFilter, row: Omit<RunRow, 'aggregate'>): boolean {
  if (filter.project !== undefined && row.project !== filter.project) return false;
  if (filter.status !== undefined && !filter.status.includes(row.status)) return false;
  if (filter.since !== undefined && row.updatedAt < filter.since) return false;
  return filter.match === undefined || isNamed(filter.match, row);
}

function isNamed(match: string, row: Pick<RunRow, 'id' | 'name'>): boolean {
  return row.name === match || (match.length >= prefixMin && row.id.startsWith(match));
}

/**
 * Ids from `from` up to and without `to` begin with the prefix; too short a prefix matches none.
 */
export function prefixRange(match: string): { readonly from: string; readonly to: string } {
  // '~' sorts after every character of an id.
  return match.length < prefixMin ? { from: '~', to: '~' } : { from: match, to: `${match}~` };
}
