/** Goal: a pipe has no width, so nothing in it is wrapped or cut (UX 3.4: one line per fact). */
import { expect, test } from 'vitest';
import { exampleView } from '../../test/support/example-run.ts';
import { typed } from '../../test/support/scripted-cli.ts';
import { scriptedClient } from '../../test/support/scripted-client.ts';

const sentence = `${'the machine has a long story to tell of this '.repeat(6)}end`;

const check = {
  id: 'disk',
  state: 'warn',
  detail: sentence,
  next: 'pawl prune --dry-run',
} as const;
const health = {
  machine: async () => [check],
  store: async () => [],
  marked: async () => [],
  notifier: () => ({ label: () => '', deliver: () => Promise.reject(new Error('not here')) }),
};

test.each([false, true])('doctor with a terminal: %s', async (isTerminal) => {
  const { out } = await typed(['doctor'], { health, terminal: { isTerminal, columns: 80 } });
  expect(out.includes(`${sentence} → pawl prune --dry-run\n`)).toBe(!isTerminal);
});

test.each([false, true])('status with a terminal: %s', async (isTerminal) => {
  const trouble = [{ ...check, state: 'fail' as const }];
  const { out } = await typed(['status'], { trouble, terminal: { isTerminal, columns: 80 } });
  expect(out.includes(sentence)).toBe(!isTerminal);
});

test.each([false, true])('show with a terminal: %s', async (isTerminal) => {
  const parked = { status: 'needs_operator', phase: null, disposition: 'escalated' } as const;
  const view = exampleView({ ...parked, reason: 'dispatch_failed', detail: sentence });
  const client = scriptedClient([view]);
  const { out } = await typed(['show', '7k2m'], { client, terminal: { isTerminal, columns: 80 } });
  expect(out.includes(sentence)).toBe(!isTerminal);
});
