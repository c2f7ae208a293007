import { expect, test } from 'vitest';
import { exampleView } from '../../../test/support/example-run.ts';
import { stepsFor } from '../next.ts';
import { groupRuns, statusLines } from './status.ts';

const url = 'https://github.com/o/r/pull/3';
const complete = { status: 'complete', phase: null, verification: 'passed' } as const;

test('what was proposed has ended: it says where, and nobody is told to land it again', () => {
  const view = exampleView({ ...complete, proposed: { into: 'main', url } });
  const groups = groupRuns([view]);
  expect(groups).toMatchObject({ readyToLand: [], ended: [{ id: view.id }] });
  const page = { groups, driver: null, now: 0, at: () => '9:00', since: 'yesterday' };
  const out = statusLines({ ...page, called: 'pawl', columns: 160 }).join('\n');
  expect(out).toContain(`proposed ${url}`);
  expect(out).not.toContain('READY TO LAND');
  expect(groupRuns([exampleView(complete)]).readyToLand).toHaveLength(1);
});

test('work whose receipt is damaged needs you: it is not told to be ready, nor to have ended', () => {
  const view = exampleView({ ...complete, receiptDamaged: true });
  const groups = groupRuns([view]);
  expect(groups).toMatchObject({ readyToLand: [], ended: [], needsYou: [{ id: view.id }] });
  const page = { groups, driver: null, now: 0, at: () => '9:00', since: 'yesterday' };
  const out = statusLines({ ...page, called: 'pawl', columns: 160 }).join('\n');
  expect(out).toContain('its receipt is damaged');
  expect(out).not.toContain('pawl land');
  expect(stepsFor(view, 'pawl').map(({ command }) => command)).not.toContain(
    `pawl land ${view.short}`,
  );
});
