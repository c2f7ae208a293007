/** The lane's table, condition × lane. Set-up of the vitest project. */
import { columns } from '../../src/testing/agents/table.ts';
import { laneTable } from '../support/lane-table.ts';

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

const heading = ['condition', 'lane', 'how', 'shown', 'right after', 'rule', 'wrong before'];

export const { note, setup, teardown } = laneTable<Row>('liveness', (rows) =>
  columns([heading, ...rows.map(cellsOf)]),
);

function cellsOf({ condition, lane, how, shown, rightAfterS, ruleS, wrong }: Row): string[] {
  const seconds = (value: number | null) => (value === null ? '–' : `${Math.round(value)}s`);
  const after = how === 'skipped' ? '–' : rightAfterS === null ? 'never' : seconds(rightAfterS);
  const before = how === 'skipped' || wrong.length === 0 ? '–' : wrong.join(', ');
  return [condition, lane, how, shown, after, seconds(ruleS), before];
}
