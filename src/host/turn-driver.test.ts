/**
 * Goal: an agent whose turn met a bound of its own program goes on in its own conversation, within
 * its execution, and not for ever. Method: a real lane host and a program that says so as often as
 * a test wants.
 */
import { afterAll, expect, test, vi } from 'vitest';
import { removeRig, run } from '../../test/support/lane-rig.ts';
import type { Usage } from '../domain/execution/state.ts';
import { type Adapter, saidNothing, type TurnEnd } from '../ports/agent.ts';
import { continuationsMax, continuePrompt } from './turn-driver.ts';

vi.setConfig({ testTimeout: 60_000 });
afterAll(removeRig);

const usage: Usage = {
  ...{ costUsd: 0.5, source: 'self-reported', tokensIn: 10, tokensOut: 1 },
  ...{ cacheRead: 2, cacheWrite: 0 },
};
const ended = { text: 'so far', until: null, usage, sessionId: 'its-own' } as const;
const cut: TurnEnd = { ...ended, outcome: 'turn_ended', cut: 'max_tokens' };

/** Ends its turns as they are given; the last one for ever. */
function agentOf(ends: readonly TurnEnd[]) {
  const turns: { readonly prompt: string; readonly session: string | null }[] = [];
  const adapter = (): Adapter => ({
    name: 'fake',
    version: '1',
    launch({ dispatch }) {
      turns.push({ prompt: dispatch.prompt, session: dispatch.sessionId });
      const end = ends[Math.min(turns.length, ends.length) - 1] ?? cut;
      return {
        argv: ['sh', '-c', `echo ${turns.length} >> turns; echo x`],
        env: {},
        stdin: null,
        talk: {
          isOpen: false,
          begin: () => saidNothing,
          line: () => ({ write: [], events: [{ kind: 'usage', usage }] }),
          decide: () => saidNothing,
          cancel: () => saidNothing,
          end: () => end,
        },
      };
    },
  });
  return { turns, adapter };
}

test('cut short it goes on in its session, with a short word, in one execution (RR-18, RR-41)', async () => {
  const { turns, adapter } = agentOf([cut, { ...ended, outcome: 'turn_ended' }]);
  const { result, told, kept } = await run({
    agent: '',
    prompt: 'all of it',
    options: { adapter },
  });
  expect(turns).toEqual([
    { prompt: 'all of it', session: null },
    { prompt: continuePrompt, session: 'its-own' },
  ]);
  expect(result).toMatchObject({
    ...{ kind: 'executed', outcome: 'turn_ended', sessionId: 'its-own' },
    usage: { costUsd: 1, tokensIn: 20, tokensOut: 2, cacheRead: 4 },
  });
  expect(told).toEqual(['claim', expect.stringMatching(/^start /), 'result', 'driver']);
  const journal = result?.kind === 'executed' && result.journal ? kept.get(result.journal) : '';
  expect(journal).toContain('cut short (max_tokens); it goes on, 1 of 3');
});

test('one that never ends its turn is left to the check after so many (RR-18)', async () => {
  const { turns, adapter } = agentOf([cut]);
  const { result } = await run({ agent: '', options: { adapter } });
  expect(turns).toHaveLength(1 + continuationsMax);
  expect(result).toMatchObject({ kind: 'executed', outcome: 'turn_ended' });
});

test.each<readonly [string, TurnEnd]>([
  ['ended by itself', { ...ended, outcome: 'turn_ended' }],
  ['cut short without a conversation to go on with', { ...cut, sessionId: null }],
  ['ended by a question', { ...ended, outcome: 'question' }],
  ['dead', { outcome: 'lane_died', detail: 'gone', usage: null }],
])('a turn that is %s is not gone on with here (RR-18)', async (_what, end) => {
  const { turns, adapter } = agentOf([end]);
  await run({ agent: '', options: { adapter } });
  expect(turns).toHaveLength(1);
});

test('what earlier turns had used is in what the lane is said to use (RR-18)', async () => {
  const { adapter } = agentOf([cut, { ...ended, outcome: 'turn_ended', usage: null }]);
  const { result } = await run({ agent: '', options: { adapter } });
  expect(result).toMatchObject({ usage: { tokensIn: 10, costUsd: 0.5 } });
});
