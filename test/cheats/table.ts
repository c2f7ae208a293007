/** The lane's table: cheat, outcome, the words that name what happened. Set-up of the project. */
import { columns } from '../../src/testing/agents/table.ts';
import { laneTable } from '../support/lane-table.ts';

const heading = ['cheat', 'outcome', 'words shown'];

export const { note, setup, teardown } = laneTable<readonly string[]>('cheats', (rows) =>
  columns([heading, ...rows.toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1))]),
);
