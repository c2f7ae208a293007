/**
 * What was shown of a lane, held against what it was: the first moment from which on only right
 * states were shown, and what was wrong before. Pure.
 */
import type { Row } from './table.ts';

export interface Shown {
  /** Seconds since the condition began. */
  readonly atS: number;
  /** `quiet`, `stalled/frozen`; `over` once the lane is no longer said to be at work. */
  readonly state: string;
}

export interface Truth {
  /** What it is, by the beginning of the words of its state: `stalled`, `working_`. */
  readonly is: readonly string[];
  /** What may be said until the rule's own clock is over: a stall begins as quiet. */
  readonly first: readonly string[];
  /** The rule's own clock. */
  readonly ruleS: number;
}

/** DESIGN §13: within one of these the state is right. */
export const windowS = 30;

const among = (state: string, words: readonly string[]): boolean =>
  words.some((word) => state === word || state.startsWith(word));

/** Null: what was shown last is wrong. */
export function rightAfter(shown: readonly Shown[], { is }: Truth): number | null {
  const lastWrong = shown.findLastIndex(({ state }) => !among(state, is));
  return shown[lastWrong + 1]?.atS ?? null;
}

/** What was neither right nor on its way to be: late, or never to be said of such a lane. */
export function wrongStates(shown: readonly Shown[], { is, first, ruleS }: Truth): string[] {
  const wrong = shown.filter(({ atS, state }) => {
    if (among(state, is)) return false;
    return !among(state, first) || atS > ruleS + windowS;
  });
  return [...new Set(wrong.map(({ state }) => state))];
}

export function rowOf(
  of: Pick<Row, 'condition' | 'lane' | 'how'>,
  shown: readonly Shown[],
  truth: Truth,
): Row {
  return {
    ...of,
    shown: shown.at(-1)?.state ?? 'nothing',
    rightAfterS: rightAfter(shown, truth),
    ruleS: truth.ruleS,
    wrong: wrongStates(shown, truth),
  };
}

/** What is wrong with it; empty: it was told rightly within one window of the rule's own clock. */
export function faultsOf({ condition, lane, rightAfterS, ruleS, shown, wrong }: Row): string[] {
  const name = `${condition} × ${lane}`;
  const late = rightAfterS === null || rightAfterS > (ruleS ?? 0) + windowS;
  return [
    ...(rightAfterS === null ? [`${name}: in the end it is ${shown}`] : []),
    ...(late && rightAfterS !== null ? [`${name}: right only after ${rightAfterS} s`] : []),
    ...(wrong.length > 0 ? [`${name}: was told to be ${wrong.join(', ')}`] : []),
  ];
}
