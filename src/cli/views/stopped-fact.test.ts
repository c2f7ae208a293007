/** Goal: a lane that was asked to stop is not told as one that died (UX 3.4). */
import { expect, test } from 'vitest';
import { at, exampleDefinition, exampleView } from '../../../test/support/example-run.ts';
import type { StoredEvent } from '../../ports/store.ts';
import { noStory } from '../story.ts';
import { factOf } from './fact.ts';

const told = (action: string, failure: string) => {
  const event = { type: 'recovery.recorded', class: failure, action, detail: '', proof: 'kernel' };
  const stored = { at: at(10), event: { at: at(10), execution: '7k2mab.1', ...event } };
  const fact = factOf(stored as unknown as StoredEvent, {
    view: exampleView(),
    definition: exampleDefinition(),
    story: noStory,
    at: () => '22:10',
  });
  return new Map(fact?.fields).get('class');
};

test('a pause has a class word of its own; what died, and what else stopped it, keep theirs', () => {
  expect(told('stopped', 'lane_died')).toBe('stopped');
  expect(told('requeue', 'lane_died')).toBe('lane_died');
  expect(told('stopped', 'rate_limited')).toBe('rate_limited');
});
