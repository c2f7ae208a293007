/** Facts as lines: finished lines of a terminal, and lines of a pipe. */
import type { RunView } from '../../ports/client.ts';
import { spentMoney } from '../format.ts';
import { livenessOf } from '../liveness.ts';
import { clean, cut, firstLine, padTo, spread } from '../text.ts';
import type { Fact, FactLine } from './fact-shape.ts';

const labelColumns = 11;
/*
 * The widths of UX 3.2, less the last column, which a live view leaves free: a terminal of exactly
 * 100 columns is not under 100.
 */
/** Under these a run is told in one line per attempt, and a lane not at all. */
export const narrowColumns = 59;
/** Under these times and counts stand under the line. */
export const wideColumns = 99;

/** A finished line and what stands below it; times and counts move under it when it is narrow. */
export function finishedLines(line: FactLine, columns: number): string[] {
  const left = `${line.sign} ${padTo(line.label, labelColumns)}${line.text}`;
  const indent = ' '.repeat(columns < narrowColumns ? 2 : labelColumns + 2);
  const right = line.right.join('  ');
  if (columns < narrowColumns) return [spread(left, line.right[0] ?? '', columns)];
  const below = line.below.map((text) => cut(indent + firstLine(text), columns));
  if (columns >= wideColumns) return [spread(left, right, columns), ...below];
  const under = right === '' ? [] : [cut(indent + right, columns)];
  return [cut(left, columns), ...under, ...below];
}

/** `22:10:04 7k2m start     agent=claude …` */
export function pipeLine(time: string, short: string, { kind, fields }: Fact): string {
  const said = fields
    .filter(([, value]) => value !== null && value !== '')
    .map(([name, value]) => `${name}=${quoted(String(value))}`);
  return `${time} ${short} ${kind.padEnd(9)} ${said.join(' ')}`.trimEnd();
}

/** Shown in a pipe so that CI does not end a silent job. */
export function beatFact(view: RunView, now: number): Fact {
  const liveness = livenessOf(view);
  const since = liveness?.since ?? null;
  return {
    kind: 'beat',
    fields: [
      ['attempt', view.attempt.n],
      ['phase', view.phase ?? view.status],
      ['liveness', liveness?.state ?? (view.driver === null ? 'no_driver' : null)],
      ['for', since === null ? null : `${Math.round(Math.max(0, now - since) / 1000)}s`],
      ['tool', liveness?.detail ?? null],
      ['cost', spentMoney(view.spent).replace('$', '')],
    ],
    line: null,
  };
}

function quoted(value: string): string {
  const cleaned = clean(value.replaceAll('\n', ' '));
  return /[\s"=]/.test(cleaned) ? JSON.stringify(cleaned) : cleaned;
}
