/** Goal: a lane that was asked to stop is not told as one that died (UX 3.4). */
import { expect, test } from 'vitest';
import { at, exampleDefinition, exampleView } from '../../../test/support/example-run.ts';
import type { StoredEvent } from '../../ports/store.ts';
import { noStory } from '../../ports/story.ts';
import { factOf } from './fact.ts';

const factFor = (action: string, failure: string, asked?: string) => {
  const known = { class: failure, action, detail: '', proof: 'kernel' };
  const event = { type: 'recovery.recorded', ...known, ...(asked === undefined ? {} : { asked }) };
  const stored = { at: at(10), event: { at: at(10), execution: '7k2mab.1', ...event } };
  return factOf(stored as unknown as StoredEvent, {
    view: exampleView(),
    definition: exampleDefinition(),
    story: noStory,
    at: () => '22:10',
  });
};
const told = (...of: Parameters<typeof factFor>) => new Map(factFor(...of)?.fields).get('class');

test('a pause has a class word of its own; what died, and what else stopped it, keep theirs', () => {
  expect(told('stopped', 'lane_died')).toBe('stopped');
  expect(told('requeue', 'lane_died')).toBe('lane_died');
  expect(told('stopped', 'rate_limited')).toBe('rate_limited');
});

test('a lane that died of a pause is told as paused, with nothing spent (R3)', () => {
  expect(told('stopped', 'lane_died', 'pause')).toBe('paused');
  expect(factFor('stopped', 'lane_died', 'pause')?.line?.text).toBe(
    'paused on request; no attempt spent',
  );
  expect(told('stopped', 'lane_died', 'wall')).toBe('time_spent');
  expect(told('stopped', 'window_exhausted', 'wall')).toBe('time_spent');
});
