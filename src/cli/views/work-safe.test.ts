/** Goal: where a page says what is safe, it names the attempt that it marks as best (UX 5.1). */
import { expect, test } from 'vitest';
import { noneShared } from '../../../test/support/example-pages.ts';
import { at, commit, exampleDefinition, exampleView } from '../../../test/support/example-run.ts';
import type { AttemptSummary } from '../../domain/run/state.ts';
import { noStory } from '../../ports/story.ts';
import { escalationLines } from './escalation.ts';

const attempt = (n: number, letter: string): AttemptSummary => ({
  outcome: 'failed',
  ...{ n, summary: '2 failed', commit: commit(letter), endedAt: at(n) },
  ...{ receipt: null, failedTests: 2, score: null },
});

function workLine(letters: string, best: number): string {
  const attempts = [...letters].map((letter, i) => attempt(i + 1, letter));
  const parked = { status: 'needs_operator', reason: 'attempts_exhausted' } as const;
  const head = commit(letters.at(-1) ?? 'a');
  const page = escalationLines({
    view: exampleView({ ...parked, disposition: 'escalated', attempts, best, head }),
    ...{ definition: exampleDefinition(), story: noStory, now: at(60), at: () => '04:12' },
    ...{ text: null, same: noneShared, printed: [], called: 'pawl', columns: 160 },
    counted: { total: null, baselineFailed: null },
  });
  return page.find((line) => line.includes('safe: ')) ?? '';
}

test.each([
  ['aaa', 3, '(attempt 3)'],
  ['aaa', 2, '(attempt 2)'],
  ['abb', 1, '(attempt 3), attempt 1 at aaaaaaa'],
])('attempts at %s with %i as the best: safe %s', (letters, best, said) =>
  expect(workLine(letters, best)).toContain(said),
);
