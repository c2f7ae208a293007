/** Goal: a program learns of each attempt what it left and what it cost (UX 2.4). */
import { expect, test } from 'vitest';
import { attempt, events } from '../../test/support/example-pages.ts';
import { commit, exampleView, execution } from '../../test/support/example-run.ts';
import { typed } from '../../test/support/scripted-cli.ts';
import { scriptedClient } from '../../test/support/scripted-client.ts';
import { noStory } from '../ports/story.ts';
import type { Usage } from '../ports/words.ts';
import { spentOn } from './attempts-json.ts';

const used = (costUsd: number | null, source: Usage['source'] = 'metered'): Usage => ({
  ...{ costUsd, source },
  ...{ tokensIn: 1, tokensOut: 1, cacheRead: 0, cacheWrite: 0 },
});

test('each attempt has its commit, its tree, its cost and what that is made of', async () => {
  const attempts = [attempt(1, 778), attempt(2, 900, { commit: null })];
  const client = scriptedClient([exampleView({ attempts })]);
  for (const { at: when, event } of events) client.emit(when, event);
  const { out } = await typed(['show', '7k2m', '--json'], { client });
  const [first, second] = JSON.parse(out).attempts;
  expect(first).toMatchObject({
    ...{ n: 1, outcome: 'failed', verdict: 'failed', commit: commit('1'), tree: 'tree of 1111111' },
    ...{ cost: 0.61, usage: used(0.61), executions: [execution(2)] },
  });
  expect(first.startedAt).toMatch(/Z$/);
  expect(second).toMatchObject({ n: 2, commit: null, tree: null, cost: null, usage: null });
  const one = await typed(['show', '7k2m', '--attempt', '1', '--json'], { client });
  expect(JSON.parse(one.out)).toMatchObject({ n: 1, cost: 0.61, usage: used(0.61) });
});

test('the version that an agent told with the end of its turn is told of its attempt', async () => {
  const client = scriptedClient([exampleView({ attempts: [attempt(1, 778)] })]);
  for (const { at: when, event } of events) {
    const { type } = event;
    const isFirst = type === 'turn.ended' && event.attempt === 1;
    client.emit(when, isFirst ? { ...event, end: { ...event.end, version: '2.1.332' } } : event);
  }
  const { out } = await typed(['show', '7k2m', '--json'], { client });
  expect(JSON.parse(out).attempts[0]).toMatchObject({ n: 1, agentVersion: '2.1.332' });
  const page = await typed(['show', '7k2m', '--attempt', '1'], { client });
  expect(page.out).toMatch(/^ *agent +version 2\.1\.332$/m);
});

test('what the turns of an attempt were refused is told of it, and of a run that is parked in it', async () => {
  const refused = { count: 1, tool: 'Bash', call: 'git push', why: 'deny' } as const;
  const attempts = [attempt(1, 778, { refused: { ...refused, count: 2 } }), attempt(2, 900)];
  const client = scriptedClient([
    exampleView({
      ...{ status: 'needs_operator', phase: null, disposition: 'escalated' },
      ...{ reason: 'blocked_by_question', attempts, attempt: { n: 1, max: 5 } },
    }),
  ]);
  for (const { at: when, event } of events) {
    const isFirst = event.type === 'turn.ended' && event.attempt === 1;
    client.emit(when, isFirst ? { ...event, refused } : event);
    if (isFirst) client.emit(when, { ...event, refused: { ...refused, call: 'rm' } });
  }
  const { out } = await typed(['show', '7k2m', '--json'], { client });
  const told = JSON.parse(out);
  const both = { ...refused, count: 2 };
  expect(told.attempts.map((one: { readonly refused: unknown }) => one.refused)).toEqual([
    ...[both, null],
  ]);
  expect(told.escalation.evidence.refused).toEqual(both);
});

test('a cost that is known in part is unknown, and its source the weaker one', () => {
  const [a, b] = [execution(2), execution(3)];
  const story = {
    ...noStory,
    attemptOf: new Map([
      [a, 1],
      [b, 1],
    ]),
  };
  const spent = (...both: readonly [Usage, Usage]) =>
    spentOn({ ...story, usage: new Map([[a, both[0]] as const, [b, both[1]] as const]) }, 1);
  expect(spent(used(1), used(2, 'self-reported'))).toEqual({
    cost: 3,
    usage: { ...used(3, 'self-reported'), tokensIn: 2, tokensOut: 2 },
  });
  expect(spent(used(1), used(null, 'none'))).toMatchObject({ cost: null, usage: { tokensIn: 2 } });
});

test.each([
  ['history', 'events'],
  ['receipt', 'definition'],
  ['events', 'receipt'],
])('of two pages, --%s and --%s, none is dropped in silence (UX 0.3)', async (one, other) => {
  const { exit, err } = await typed(['show', '7k2m', `--${one}`, `--${other}`], {});
  expect(exit).toBe(2);
  expect(err).toContain('are two pages: one at a time');
});
