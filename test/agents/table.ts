/** The lane's table, agent × clause: emptied before, printed after it. Set-up of the project. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { conformanceTable, type Tried } from '../../src/testing/index.ts';

/** One JSON line an agent. */
export const tableFile = 'reports/agents.ndjson';

export function setup(): void {
  mkdirSync(dirname(tableFile), { recursive: true });
  writeFileSync(tableFile, '');
}

export function teardown(): void {
  const lines = readFileSync(tableFile, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  if (lines.length === 0) return;
  const tried = lines.map((line): Tried => JSON.parse(line));
  process.stdout.write(`\n${conformanceTable(tried)}\n`);
}
