/** The table, condition × lane: emptied before the lane, printed after it. The set-up of it. */
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const tableFile = 'reports/liveness.ndjson';

export interface Row {
  readonly condition: string;
  readonly lane: string;
  /** Real: the built program, its seconds; fake clock: the host's code, a clock of the test. */
  readonly how: 'real' | 'fake clock' | 'skipped';
  /** The state that stood in the end, with its reason; of what was skipped why. */
  readonly shown: string;
  /** Seconds from the beginning of the condition; null: it never was right. */
  readonly rightAfterS: number | null;
  /** What the rule's own clock gives it, in seconds. */
  readonly ruleS: number | null;
  /** Wrong states that were shown, oldest first. */
  readonly wrong: readonly string[];
}

export function note(row: Row): void {
  appendFileSync(tableFile, `${JSON.stringify(row)}\n`);
}

export function setup(): void {
  mkdirSync(dirname(tableFile), { recursive: true });
  writeFileSync(tableFile, '');
}

export function teardown(): void {
  const rows = readFileSync(tableFile, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Row => JSON.parse(line));
  process.stdout.write(`\n${tableOf(rows)}\n`);
}

function tableOf(rows: readonly Row[]): string {
  const heading = ['condition', 'lane', 'how', 'shown', 'right after', 'rule', 'wrong before'];
  const all = [heading, ...rows.map(cellsOf)];
  const width = (column: number) => Math.max(...all.map((row) => (row[column] ?? '').length));
  const widths = heading.map((_, column) => width(column));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function cellsOf({ condition, lane, how, shown, rightAfterS, ruleS, wrong }: Row): string[] {
  const seconds = (value: number | null) => (value === null ? '–' : `${Math.round(value)}s`);
  const after = how === 'skipped' ? '–' : rightAfterS === null ? 'never' : seconds(rightAfterS);
  const before = how === 'skipped' || wrong.length === 0 ? '–' : wrong.join(', ');
  return [condition, lane, how, shown, after, seconds(ruleS), before];
}
