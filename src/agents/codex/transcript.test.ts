/**
 * Goal: what a real Codex prints comes to the right end. Method: lines of 0.171.0, recorded against
 * the scripted model server.
 */
import { expect, test } from 'vitest';
import { played, recorded } from '../../../test/support/played-talk.ts';
import { jsonTalk } from '../drivers/json/talk.ts';
import { type Counts, noCounts } from './counts.ts';
import { codexTranscript } from './transcript.ts';

const play = (name: string, before: Counts = noCounts) =>
  played(jsonTalk(codexTranscript(before)), recorded(name, import.meta.url), {
    exit: 1,
    signal: null,
  });

test('a turn with two commands: session, tools, figures, the last answer', () => {
  const { of, end } = play('turn');
  const [session] = of('session');
  expect(session?.id).toBe('01a2291d-f0b5-7851-88bd-30c01e50665b');
  expect(of('tool_started').map(({ id, name }) => [id, name])).toEqual([
    ['item_2', 'shell'],
    ['item_4', 'shell'],
  ]);
  expect(of('tool_finished').map(({ id, status }) => [id, status])).toEqual([
    ['item_2', 'completed'],
    ['item_4', 'failed'],
  ]);
  // That it does not know the model is a warning, not a failure.
  expect(of('error')).toHaveLength(1);
  expect(end).toEqual({
    outcome: 'turn_ended',
    text: 'finished',
    until: null,
    sessionId: '01a2291d-f0b5-7851-88bd-30c01e50665b',
    usage: {
      ...{ source: 'self-reported', costUsd: null, tokensIn: 3642, tokensOut: 168 },
      ...{ cacheRead: 60, cacheWrite: 0 },
    },
  });
});

test('what the thread had used before is not counted again', () => {
  const before = { input: 1234, cached: 20, written: 0, output: 56 };
  const { usage } = play('resumed', before).end;
  expect(usage).toMatchObject({ tokensIn: 1214, cacheRead: 20, tokensOut: 56 });
});

test('a thread that tells less than before is not counted below nothing', () => {
  const { usage } = play('resumed', { ...noCounts, input: 999_999, output: 5 }).end;
  expect(usage).toMatchObject({ tokensIn: 2428, tokensOut: 112 });
});

test.each([
  ['limit', { outcome: 'limit', until: null }],
  ['usage-limit', { outcome: 'limit', until: null }],
  ['quota', { outcome: 'failed', class: 'auth_required' }],
  ['unauthorized', { outcome: 'failed', class: 'auth_required' }],
  ['server-error', { outcome: 'failed', class: 'transport_lost' }],
  ['malformed', { outcome: 'failed', class: 'transport_lost' }],
  ['dropped', { outcome: 'failed', class: 'transport_lost' }],
  ['context-overflow', { outcome: 'failed', class: 'context_overflow' }],
  ['cut', { outcome: 'failed', class: 'lane_died' }],
])('a turn that failed is classed: %s', (name, end) => {
  expect(play(name).end).toMatchObject(end);
});

test('an error is not the end: it reconnects', () => {
  const { of } = play('unauthorized');
  expect(of('error').length).toBeGreaterThan(5);
  expect(of('turn_finished')).toHaveLength(1);
});

test('what the agent says is never taken for a failure of its own (L-E3)', () => {
  const text = 'unexpected status 429 Too Many Requests';
  const item = { id: 'item_0', type: 'agent_message', text };
  const lines = [
    { type: 'item.completed', item },
    { type: 'turn.completed', usage: {} },
  ];
  const talk = jsonTalk(codexTranscript(noCounts));
  const { end } = played(
    talk,
    lines.map((line) => JSON.stringify(line)),
  );
  expect(end).toMatchObject({ outcome: 'turn_ended', text });
});

test('a command that was not allowed is told as refused', () => {
  const item = { id: 'item_1', type: 'command_execution', command: 'rm x', status: 'declined' };
  const talk = jsonTalk(codexTranscript(noCounts));
  const { of } = played(talk, [JSON.stringify({ type: 'item.completed', item })]);
  expect(of('denied')).toMatchObject([{ title: 'shell: rm x' }]);
  expect(of('tool_finished')).toMatchObject([{ status: 'failed' }]);
});
