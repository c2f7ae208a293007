/** The lane's tables: what happened to each way of being cut off, and what a late word is told. */
import { columns } from '../../src/testing/agents/table.ts';
import { laneTable } from '../support/lane-table.ts';

/** The table that a row is of, then its cells. */
export type Row = readonly [of: keyof typeof headings, ...cells: readonly string[]];

const headings = {
  cut: ['cut off', 'by', 'taken over', 'attempts', 'doubled', 'lost', 'work tree of the first'],
  late: ['late word', 'answer', 'evidence'],
  skew: ['clocks', 'attempts', 'taken over', 'refused', 'doubled', 'lost'],
} as const;

export const { note, setup, teardown } = laneTable<Row>('partition', (rows) =>
  Object.entries(headings)
    .map(([of, heading]) => [heading, ...rows.filter(([one]) => one === of).map(([, ...r]) => r)])
    .filter(({ length }) => length > 1)
    .map((table) => columns(table))
    .join('\n\n'),
);
