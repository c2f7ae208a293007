/** Goal: the columns of a group stand below each other, whatever stands in a cell (UX 5.2). */
import { expect, test } from 'vitest';
import { at, exampleView } from '../../../test/support/example-run.ts';
import { groupRuns, statusLines } from './status.ts';

const page = { driver: null, now: at(100), at: () => '22:10', since: 'yesterday', called: 'pawl' };

test('marks that stand beside the words shift no column of the rows around them', () => {
  const ended = { status: 'cancelled', phase: null, endedAt: at(60) } as const;
  const views = [
    exampleView({ ...ended, name: 'short' }),
    exampleView({ ...ended, name: 'refused', refusedGates: 2 }),
    exampleView({ ...ended, name: 'unproven', unproven: ['7k2mab.1' as never] }),
  ];
  const lines = statusLines({ ...page, groups: groupRuns(views), columns: 160 });
  const rows = lines.filter((line) => line.includes('pawl show'));
  expect(rows).toHaveLength(3);
  expect(rows[1]).toContain('cancelled · 2 gate verbs refused');
  expect(new Set(rows.map((line) => line.indexOf('22:10'))).size).toBe(1);
});

test('a run that is asked to pause is told as that until its turn is over (UX 5)', () => {
  const view = exampleView({ status: 'active', phase: 'executing', pausing: true });
  const lines = statusLines({ ...page, groups: groupRuns([view]), columns: 160 });
  expect(lines.join('\n')).toMatch(/● .*attempt \d of \d · pausing · /);
});

test('a dispatch that failed is called that once (EV-48)', () => {
  const parked = { status: 'needs_operator', phase: null, attempts: [], best: null } as const;
  const detail = 'Dispatch failed: exit 127';
  const view = exampleView({ ...parked, reason: 'dispatch_failed', detail });
  const text = statusLines({ ...page, groups: groupRuns([view]), columns: 160 }).join('\n');
  expect(text).toContain('dispatch failed: exit 127');
});
