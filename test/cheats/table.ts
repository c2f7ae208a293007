/** The lane's table: emptied before it, printed after it. Set-up of the vitest project. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** One JSON array a line: cheat, outcome, the words that name what happened. */
export const tableFile = 'reports/cheats.ndjson';

export function setup(): void {
  mkdirSync(dirname(tableFile), { recursive: true });
  writeFileSync(tableFile, '');
}

export function teardown(): void {
  const rows = readFileSync(tableFile, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): readonly string[] => JSON.parse(line));
  const heading = ['cheat', 'outcome', 'words shown'];
  const all = [heading, ...rows.toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1))];
  const width = (column: number) => Math.max(...all.map((row) => (row[column] ?? '').length));
  const lines = all.map((row) =>
    row.map((cell, column) => cell.padEnd(column < 2 ? width(column) : 0)).join('  '),
  );
  process.stdout.write(`\n${lines.join('\n')}\n`);
}
