/** What became of each fault. Set-up of the vitest project. */
import { columns } from '../../src/testing/agents/table.ts';
import { laneTable } from '../support/lane-table.ts';

export interface Row {
  readonly fault: string;
  /** What stood there when it was true at first; null: it never was before the end. */
  readonly shown: string | null;
  readonly trueAfterS: number | null;
  /** `recovered`, or the reason with which a human was asked. */
  readonly end: string;
  readonly afterS: number;
  readonly attempts: number;
  readonly doubled: number;
  readonly lost: number;
}

const heading = ['fault', 'shown', 'true after', 'end', 'after', 'attempts', 'doubled', 'lost'];

export const { note, setup, teardown } = laneTable<Row>('chaos', (rows) =>
  columns([heading, ...rows.map(cellsOf)]),
);

const seconds = (value: number | null) => (value === null ? '–' : `${Math.round(value)}s`);

function cellsOf({ fault, shown, trueAfterS, end, afterS, ...counts }: Row): string[] {
  const { attempts, doubled, lost } = counts;
  const told = [fault, shown ?? '–', seconds(trueAfterS), end, seconds(afterS)];
  return [...told, ...[attempts, doubled, lost].map(String)];
}
