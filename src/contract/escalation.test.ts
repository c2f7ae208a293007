/** Goal: what is kept of an escalation is read by its schema, and nothing else is taken for one. */
import { expect, test } from 'vitest';
import { escalationIn } from './escalation.ts';

const page = {
  schema: 'pawl.escalation/1',
  run: '7k2mab34cd56',
  since: 1,
  disposition: 'escalated',
  reason: 'recovery_exhausted',
  detail: 'exit 134',
  class: 'lane_died',
  job: { role: 'execute', attempt: 1, execution: '7k2mab34cd56.3' },
  evidence: { ended: null, lastLine: null, printed: ['last'], signs: null, refused: null },
  recoveries: [],
  nudges: [],
  text: null,
  paths: [],
  options: [{ command: 'pawl resume 7k2m --fresh', effect: 'a new tree' }],
};

test('it is read as it was kept (RR-32)', () => {
  expect(escalationIn(JSON.stringify(page))).toEqual(page);
});

test.each([
  ['no JSON', '{'],
  ['another version', JSON.stringify({ ...page, schema: 'pawl.escalation/2' })],
  ['a key that nobody knows', JSON.stringify({ ...page, more: 1 })],
  ['a key below', JSON.stringify({ ...page, job: { ...page.job, more: 1 } })],
  ['less than there is to be', JSON.stringify({ ...page, options: undefined })],
  ['more than there may be', JSON.stringify({ ...page, text: 'x'.repeat(16_385) })],
])('%s is none', (_, text) => {
  expect(escalationIn(text)).toBeNull();
});
