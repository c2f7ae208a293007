/** The page of `pawl doctor` (UX 5.4). Pure. */
import type { HealthCheck, HealthState } from '../../ports/health.ts';
import { plural } from '../format.ts';
import { clean, cut, padTo, widthOf } from '../text.ts';

export interface Section {
  readonly name: string;
  readonly checks: readonly HealthCheck[];
}

const signs: Readonly<Record<HealthState, string>> = {
  ok: '✓',
  warn: '!',
  fail: '✗',
  unknown: '?',
};
const labelColumns = 11;
const between = '   ';

export function doctorLines(
  sections: readonly Section[],
  fixed: readonly string[],
  columns: number,
): string[] {
  const checks = sections.flatMap((section) => section.checks);
  const count = (...states: readonly HealthState[]): number =>
    checks.filter(({ state }) => states.includes(state)).length;
  return [
    ...sections.flatMap((section) => sectionLines(section, columns)),
    ...fixed.map((what) => `fixed      ${what}`),
    `${plural(count('warn', 'unknown'), 'note')}, ${plural(count('fail'), 'problem')}`,
  ];
}

/** What is fine shares lines; what is not has a line of its own, with what to do. */
function sectionLines({ name, checks }: Section, columns: number): string[] {
  const rows: string[] = [];
  for (const check of checks) {
    const text = `${signs[check.state]} ${clean(check.detail)}`;
    const last = rows.at(-1);
    const mayShare = check.next === null && last !== undefined && !last.includes(' → ');
    const shared = `${last}${between}${text}`;
    if (mayShare && labelColumns + widthOf(shared) <= columns) rows[rows.length - 1] = shared;
    else rows.push(check.next === null ? text : `${text} → ${check.next}`);
  }
  return rows.map((row, i) => cut(padTo(i === 0 ? name : '', labelColumns) + row, columns));
}
