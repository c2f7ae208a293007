/** The warning that a run carries when its checks already pass, told as it becomes known. */
import type { StoredEvent } from '../ports/store.ts';
import type { Standing } from './ending.ts';
import { iso } from './format.ts';
import { greenFacts, greenWarning } from './views/check-green.ts';
import { criterionWords } from './views/header.ts';

export function greenNews(stored: StoredEvent, { definition }: Standing): readonly string[] {
  const names = passing(stored, definition);
  return greenWarning(names, definition);
}

/** The same for programs: a line of its own beside the events (`pawl.warning/1`). */
export function greenJson(stored: StoredEvent, { definition }: Standing) {
  const green = greenFacts(passing(stored, definition), definition);
  if (green === null) return null;
  const { at, run } = stored;
  return { schema: 'pawl.warning/1', at: iso(at), run, code: 'check_green', ...green };
}

function passing({ event }: StoredEvent, { criteria }: Standing['definition']): readonly string[] {
  if (event.type !== 'baseline.recorded' || event.outcome !== 'green') return [];
  return criteria.filter(({ kind }) => !judgedLater.has(kind)).map(criterionWords);
}

/** Nobody judges these before there is work. */
const judgedLater: ReadonlySet<string> = new Set(['manual', 'oracle', 'observer']);
