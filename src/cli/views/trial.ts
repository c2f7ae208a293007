/** Setup and checks on the base commit, tried before anything is spent (UX 1.2, 1.4). */
import type { CriterionResult } from '../../ports/words.ts';
import type { BaselineReport } from '../composition.ts';
import { span } from '../format.ts';
import { clean, widthOf } from '../text.ts';

const gap = '     ';

export interface Trial {
  readonly report: BaselineReport;
  readonly setup: string | null;
  /** Null when what setup makes was there already. */
  readonly setupMs: number | null;
}

/** On one line where it fits, else one line each. */
export function trialLines(trial: Trial, columns: number): readonly string[] {
  const { report } = trial;
  const parts = [...setupPart(trial), ...report.criteria.map((one) => checkPart(one, report))];
  const line = `  ${parts.join(gap)}`;
  return widthOf(line) <= columns ? [line] : parts.map((part) => `  ${part}`);
}

function setupPart({ report, setup, setupMs }: Trial): readonly string[] {
  if (setup === null) return [];
  const isFailed = report.setup === 'failed';
  const end = isFailed ? 'fails' : setupMs === null ? 'prepared before' : span(setupMs);
  return [`${isFailed ? '✗' : '✓'} ${clean(setup)}  ${end}`];
}

function checkPart(one: CriterionResult, { unrunnable }: BaselineReport): string {
  const isPassed = one.outcome === 'passed';
  const verb = isPassed ? 'passes' : unrunnable?.what === one.what ? 'cannot run' : 'fails';
  const counts = countsWords(one);
  const tail = isPassed || counts === '' ? '' : `   ${counts}`;
  return `${isPassed ? '✓' : '✗'} ${clean(one.what)}  ${verb}  ${span(one.durationMs)}${tail}`;
}

function countsWords({ counts }: CriterionResult): string {
  const parts = [
    [counts?.failed ?? 0, 'failed'],
    [counts?.passed ?? 0, 'passed'],
  ] as const;
  return counts === null
    ? ''
    : parts.flatMap(([n, word]) => (n > 0 ? [`${n} ${word}`] : [])).join(', ');
}
