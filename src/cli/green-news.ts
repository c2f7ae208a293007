/** The warning that a run carries when its checks already pass, told as it becomes known. */
import type { StoredEvent } from '../ports/store.ts';
import type { Standing } from './ending.ts';
import { greenWarning } from './views/check-green.ts';
import { criterionWords } from './views/header.ts';

export function greenNews({ event }: StoredEvent, { definition }: Standing): readonly string[] {
  if (event.type !== 'baseline.recorded' || event.outcome !== 'green') return [];
  const tried = definition.criteria.filter(({ kind }) => !judgedLater.has(kind));
  return greenWarning(tried.map(criterionWords), definition);
}

/** Nobody judges these before there is work. */
const judgedLater: ReadonlySet<string> = new Set(['manual', 'oracle', 'observer']);
