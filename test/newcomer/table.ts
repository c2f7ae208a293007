/** The lane's table: emptied before it, printed after it. Set-up of the vitest project. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** One JSON array a line: repository, tools, setup, checks, and what init and run ended with. */
export const tableFile = 'reports/newcomer.ndjson';

export function setup(): void {
  mkdirSync(dirname(tableFile), { recursive: true });
  writeFileSync(tableFile, '');
}

export function teardown(): void {
  const rows = readFileSync(tableFile, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): readonly string[] => JSON.parse(line));
  const heading = ['repository', 'tools', 'setup', 'checks', 'init -y', 'run'];
  const all = [heading, ...rows];
  const width = (column: number) => Math.max(...all.map((row) => (row[column] ?? '').length));
  const lines = all.map((row) =>
    row.map((cell, column) => cell.padEnd(column < 5 ? width(column) : 0)).join('  '),
  );
  process.stdout.write(`\n${lines.join('\n')}\n`);
}
