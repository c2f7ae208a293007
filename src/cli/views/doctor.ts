/** The page of `pawl doctor` (UX 5.4). Pure. */
import type { HealthCheck, HealthState } from '../../ports/health.ts';
import { plural } from '../format.ts';
import { clean, cut, padTo, widthOf } from '../text.ts';
import { type AgentLine, agentLines } from './agents-table.ts';

export interface Section {
  readonly name: string;
  readonly checks: readonly HealthCheck[];
  /** What is shown in place of the checks, beside those that are about no agent. */
  readonly agents?: readonly AgentLine[];
}

const signs: Readonly<Record<HealthState, string>> = {
  ok: '✓',
  warn: '!',
  fail: '✗',
  unknown: '?',
};
const labelColumns = 11;
const between = '   ';
/** However wide the page: what is fine is still to be found. */
const sharedColumns = 149;

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

/** What is fine shares lines; what is not has a line of its own, and below it what to do. */
function sectionLines(section: Section, columns: number): string[] {
  const { name, checks, agents } = section;
  const rows =
    agents === undefined
      ? checkRows(checks, columns)
      : agentRows(agents, checks, columns - labelColumns);
  return rows.map((row, i) => cut(padTo(i === 0 ? name : '', labelColumns) + row, columns));
}

/** A table of nothing but `not found` is no help. */
function agentRows(
  agents: readonly AgentLine[],
  checks: readonly HealthCheck[],
  room: number,
): readonly string[] {
  const isNone = agents.every(({ cells, next }) => cells === null && next === null);
  return isNone ? checkRows(checks, room + labelColumns) : agentLines(agents, room);
}

function checkRows(checks: readonly HealthCheck[], columns: number): readonly string[] {
  const room = columns - labelColumns;
  const rows: string[] = [];
  let mayShare = false;
  for (const { state, detail, next } of checks) {
    const text = `${signs[state]} ${clean(detail)}`;
    const shared = `${rows.at(-1) ?? ''}${between}${text}`;
    const whole = next === null ? text : `${text} → ${next}`;
    const isShort = widthOf(shared) <= Math.min(room, sharedColumns);
    if (mayShare && next === null && isShort) rows[rows.length - 1] = shared;
    else if (next === null || widthOf(whole) <= room) rows.push(whole);
    else rows.push(text, `  → ${next}`);
    mayShare = next === null;
  }
  return rows;
}
