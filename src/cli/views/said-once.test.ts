/** Goal: the page of a parked run says once what went wrong (UX 5.1). */
import { expect, test } from 'vitest';
import { noneShared } from '../../../test/support/example-pages.ts';
import { at, exampleDefinition, exampleView } from '../../../test/support/example-run.ts';
import type { ParkReason } from '../../domain/run/state.ts';
import { noStory } from '../../ports/story.ts';
import { escalationLines } from './escalation.ts';

const recovery = {
  ...{ at: at(50), execution: '7k2mab.2', class: 'workspace_lost', action: 'give_up' },
  ...{ attempt: 1, isAsked: false, signs: null, next: null, hasHelped: false },
} as const;

function pageOf(reason: ParkReason, [parked, lost]: readonly [string, string]): string {
  const lines = escalationLines({
    view: exampleView({
      status: 'needs_operator',
      disposition: 'escalated',
      reason,
      detail: parked,
    }),
    story: {
      ...noStory,
      lastEnd: `workspace lost: ${lost}`,
      recoveries: [{ ...recovery, detail: lost }],
    },
    ...{ definition: exampleDefinition(), now: at(60), at: () => '04:12', text: null },
    ...{ same: noneShared, printed: [], called: 'pawl', columns: 4000 },
    counted: { total: null, baselineFailed: null },
  });
  return lines.join('\n');
}
const times = (page: string, words: string): number => page.split(words).length - 1;

test.each([
  ['workspace_lost', 'the work tree /t is not usable: it is gone', ''],
  ['dispatch_failed', 'no program of that name: x', 'Dispatch failed: '],
] as const)(
  '%s: the trouble stands in one row, how the lane ended in its own',
  (reason, why, mark) => {
    const page = pageOf(reason, [mark + why, why]);
    expect(times(page, why)).toBe(1);
    expect(page).toContain('ended: workspace lost\n');
    expect(page).toContain('attempt 1: workspace lost → give up\n');
  },
);

test('what the row of its stop had no room for stands in full once more, and no more', () => {
  const long = `the work tree is not usable: ${'x'.repeat(300)}`;
  const page = pageOf('workspace_lost', [`${long.slice(0, 199)}…`, long]);
  expect([times(page, long), times(page, long.slice(0, 199))]).toEqual([1, 2]);
});

test('another trouble than that of its stop is told where it was', () => {
  const page = pageOf('recovery_exhausted', ['exit 1', 'exit 137']);
  expect(times(page, 'exit 137')).toBe(2);
});
