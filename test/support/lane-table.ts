/**
 * What a lane of tests prints at its end: rows that its tests note, in a file of `reports` that is
 * emptied before the lane. Its `setup` and `teardown` are the set-up of the vitest project.
 */
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

export interface LaneTable<Row> {
  /** From any process of the lane. */
  note(row: Row): void;
  setup(): void;
  teardown(): void;
}

/** `tableOf` is asked for nothing when nothing was noted. */
export function laneTable<Row>(
  lane: string,
  tableOf: (rows: readonly Row[]) => string,
): LaneTable<Row> {
  const file = `reports/${lane}.ndjson`;
  return {
    note: (row) => appendFileSync(file, `${JSON.stringify(row)}\n`),
    setup() {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, '');
    },
    teardown() {
      const lines = readFileSync(file, 'utf8').split('\n');
      const rows = lines.filter((line) => line !== '').map((line): Row => JSON.parse(line));
      if (rows.length > 0) process.stdout.write(`\n${tableOf(rows)}\n`);
    },
  };
}
