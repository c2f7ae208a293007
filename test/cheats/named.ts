import { expect } from 'vitest';
import type { Outcome } from './rig.ts';
import { note } from './table.ts';

const cellMax = 110;

/** How a run stands, as `show` says it: `needs_operator (attempts_exhausted)`. */
export function endOf({ run }: Pick<Outcome, 'run'>): string {
  return run.reason === null ? run.status : `${run.status} (${run.reason})`;
}

/**
 * Asserts how the run stands and that every one of the words is shown to the user; both go into the
 * table.
 */
export function expectNamed(
  cheat: string,
  outcome: Outcome,
  expected: { readonly end: string; readonly words: readonly RegExp[] },
): void {
  const end = endOf(outcome);
  row(cheat, end, expected.words.map((words) => shown(outcome.words, words)).join(' … '));
  expect(end, outcome.words).toBe(expected.end);
  for (const words of expected.words) expect(outcome.words).toMatch(words);
}

export function row(cheat: string, end: string, words: string): void {
  note([cheat, end, words.slice(0, cellMax)]);
}

function shown(text: string, words: RegExp): string {
  const found = words.exec(text);
  return found === null ? '(not said)' : found[0].replaceAll(/\s+/g, ' ').trim();
}
