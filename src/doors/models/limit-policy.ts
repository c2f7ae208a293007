/**
 * What to do with a limit (research/models-door.md §5). A short wait is the lane's own affair: all
 * measured CLIs bridge it. A long one is not passed on, since some CLIs sleep through it in silence
 * and others hammer: requests are refused instead, and the run is parked until the reset.
 */
import type { LimitWord } from './limits.ts';

export const passedWaitMsMax = 60_000;
/** Of 429s in a row that do not say how long: these go to the lane. */
const unknownPassedMax = 2;
const backOffMs = [60_000, 120_000, 300_000, 900_000] as const;

export type LimitAct =
  | { readonly act: 'pass'; readonly untilMs: number | null }
  | { readonly act: 'park'; readonly untilMs: number | null };

export interface LimitHistory {
  /** 429s without a known wait since the last good answer. */
  readonly unknown: number;
  /** Times parked without a known wait since the last good answer. */
  readonly parked: number;
}

export const noLimits: LimitHistory = { unknown: 0, parked: 0 };

/** Pure: the act, and what is remembered for the next one. A wait that is over is no wait. */
export function onLimit(
  history: LimitHistory,
  word: LimitWord,
  nowMs: number,
): { readonly act: LimitAct; readonly history: LimitHistory } {
  const { untilMs, isTerminal } = word;
  if (untilMs !== null && untilMs - nowMs > passedWaitMsMax) {
    return { act: { act: 'park', untilMs }, history };
  }
  if (isTerminal) {
    // A service that says "spent" and "try at once" in one breath is believed in the former.
    const untilKnown = untilMs === null ? null : Math.max(untilMs, nowMs + passedWaitMsMax);
    return { act: { act: 'park', untilMs: untilKnown }, history };
  }
  if (untilMs !== null) return { act: { act: 'pass', untilMs }, history };
  const unknown = history.unknown + 1;
  if (unknown <= unknownPassedMax) {
    return { act: { act: 'pass', untilMs: null }, history: { ...history, unknown } };
  }
  const waitMs = backOffMs[Math.min(history.parked, backOffMs.length - 1)] ?? backOffMs[0];
  return {
    act: { act: 'park', untilMs: nowMs + waitMs },
    history: { unknown, parked: history.parked + 1 },
  };
}
