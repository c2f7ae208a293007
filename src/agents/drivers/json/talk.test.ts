import { expect, test } from 'vitest';
import { played } from '../../../../test/support/played-talk.ts';
import { jsonTalk } from './talk.ts';
import type { Told, Transcript } from './transcript.ts';

/** A program whose lines are what they tell. */
const plain: Transcript<null> = {
  first: null,
  mode: 'held',
  step: (state, line) =>
    Array.isArray(line['told']) ? { state, told: line['told'] as readonly Told[] } : null,
};
const line = (...told: readonly Told[]) => JSON.stringify({ told });
const started = (id: string): Told => ({ kind: 'tool_started', id, name: 'x', timeoutMs: null });
const ended: Told = { kind: 'ended', reason: 'done', failure: null };

test('what is open when the turn ends is closed as unknown, once', () => {
  const finished: Told = { kind: 'tool_finished', id: 'a', status: 'completed' };
  const lines = [line(started('a'), started('b')), line(finished), line(finished), line(ended)];
  expect(played(jsonTalk(plain), lines).of('tool_finished')).toEqual([
    { kind: 'tool_finished', id: 'a', status: 'completed' },
    { kind: 'tool_finished', id: 'b', status: 'unknown' },
  ]);
});

test('a tool begins once, also when it is told again after its end', () => {
  const finished: Told = { kind: 'tool_finished', id: 'a', status: 'failed' };
  const lines = [line(started('a'), started('a'), finished, started('a'))];
  const { of } = played(jsonTalk(plain), lines);
  expect([of('tool_started').length, of('tool_finished').length]).toEqual([1, 1]);
});

test('an end without a beginning opens nothing', () => {
  const finished: Told = { kind: 'tool_finished', id: 'never', status: 'completed' };
  expect(played(jsonTalk(plain), [line(finished)]).events).toEqual([{ kind: 'notice' }]);
});

test('lines that mean nothing are left alone, and only the first are told of', () => {
  const strange = ['not json', '[1]', '{"type":"new"}', '{', '\u0000', '"text"'];
  const { of, end } = played(jsonTalk(plain), [...strange, line(ended)]);
  expect(of('error')).toHaveLength(3);
  expect(of('notice')).toHaveLength(3);
  expect(end.outcome).toBe('turn_ended');
});

test.each([
  [{ exit: 0, signal: null }, 'the agent exited with 0 before its turn was over'],
  [{ exit: null, signal: 'SIGKILL' }, 'the agent was killed by SIGKILL before its turn was over'],
  [{ exit: null, signal: null }, 'the agent was ended before its turn was over'],
])('a program that ends without a word has died, whatever its exit: %j', (exit, detail) => {
  const { end } = played(jsonTalk(plain), [line({ kind: 'answer', text: 'done!' })], exit);
  expect(end).toMatchObject({ outcome: 'lane_died', detail });
});

test('its exit says nothing where it has spoken itself', () => {
  const failure = { how: 'failed', class: 'auth_required', detail: 'log in' } as const;
  const failed = [line({ kind: 'ended', reason: 'x', failure })];
  expect(played(jsonTalk(plain), failed).end).toMatchObject({ class: 'auth_required' });
  const fine = played(jsonTalk(plain), [line(ended)], { exit: 1, signal: null });
  expect(fine.end.outcome).toBe('turn_ended');
});

test('the last end stands', () => {
  const failure = { how: 'limit', until: 5, detail: 'wait' } as const;
  const lines = [line({ kind: 'ended', reason: 'x', failure }), line(ended)];
  expect(played(jsonTalk(plain), lines).end.outcome).toBe('turn_ended');
  expect(played(jsonTalk(plain), lines.toReversed()).end).toMatchObject({ until: 5 });
});

test('a session is told once, unless it changes', () => {
  const session = (id: string): Told => ({ kind: 'session', id });
  const lines = [line(session('one'), session('one')), line(session('two'))];
  expect(
    played(jsonTalk(plain), lines)
      .of('session')
      .map(({ id }) => id),
  ).toEqual(['one', 'two']);
});

test('a mode that is told and is not the one that was set is refused; none told, too', () => {
  const said = (mode: string | null): Told => ({
    kind: 'started',
    version: null,
    model: null,
    mode,
  });
  const end = (mode: string | null) => played(jsonTalk(plain), [line(said(mode)), line(ended)]).end;
  expect(end('held').outcome).toBe('turn_ended');
  expect(end('free')).toMatchObject({ outcome: 'failed', class: 'dispatch_failed' });
  expect(end(null)).toMatchObject({ outcome: 'failed', class: 'dispatch_failed' });
  const untold = jsonTalk({ ...plain, mode: null });
  expect(played(untold, [line(said(null)), line(ended)]).end.outcome).toBe('turn_ended');
});
