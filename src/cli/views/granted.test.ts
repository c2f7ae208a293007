/** Goal: a live view of a run that was resumed tells what it has now, not what it began with. */
import { expect, test } from 'vitest';
import { at, exampleDefinition, exampleView } from '../../../test/support/example-run.ts';
import { noStory } from '../../ports/story.ts';
import { blockLines } from './block.ts';
import { headerLines } from './header.ts';

test('the footer counts active time alone: what lay parked or was queued is none (UX 3.1)', () => {
  const view = exampleView({ startedAt: at(-28_000), attempt: { n: 1, max: 5 } });
  const lines = blockLines({
    view,
    definition: exampleDefinition(),
    story: noStory,
    now: at(1_080),
    at: () => '22:10',
    laneLines: [],
    keys: '? keys',
    called: 'pawl',
    columns: 100,
  });
  expect(lines.at(-1)).toContain('18m of 8h');
});

test('the header names the brakes as they were granted (UX 3.1)', () => {
  const { granted } = exampleView();
  const view = exampleView({ granted: { ...granted, attempts: 8, costUsd: 25 } });
  const row = headerLines(view, exampleDefinition(), [], 100).find((line) =>
    line.startsWith('brakes'),
  );
  expect(row).toContain('8 attempts · 8h active · $25.00');
});
