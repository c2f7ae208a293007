/** Goal: what a page tells to type next is something that this very run can do. */
import { expect, test } from 'vitest';
import { exampleView } from '../../test/support/example-run.ts';
import { detailBeyond, stepsFor, wrongVerb } from './next.ts';

const commands = (change: Parameters<typeof exampleView>[0]) =>
  stepsFor(exampleView({ phase: null, ...change }), 'pawl').map(({ command }) => command);

test('verified work lands; overridden work lands without the checks that it fails', () => {
  const done = { status: 'complete', verification: 'passed' } as const;
  expect(commands(done)).toEqual(['pawl diff 7k2m', 'pawl land 7k2m']);
  expect(commands({ ...done, verification: 'overridden' })).toEqual([
    'pawl diff 7k2m',
    'pawl land 7k2m --no-reverify',
  ]);
});

test('a run that pauses is not told to pause, only to do so at once', () => {
  const active = { status: 'active', phase: 'executing' } as const;
  expect(commands(active)).toContain('pawl pause 7k2m');
  const pausing = commands({ ...active, pausing: true });
  expect(pausing).toContain('pawl pause 7k2m --now');
  expect(pausing).not.toContain('pawl pause 7k2m');
});

test('a run that recorded no work has nothing to land', () => {
  const accepted = { status: 'complete', verification: 'overridden', head: null } as const;
  expect(commands(accepted)).toEqual(['pawl show 7k2m']);
});

test('the record of a dispatch begins with its reason, which is not said twice', () => {
  const detail = 'Dispatch failed: EAGAIN';
  expect(detailBeyond({ reason: 'dispatch_failed', detail })).toBe('EAGAIN');
  expect(detailBeyond({ reason: 'auth_required', detail })).toBe(detail);
  expect(detailBeyond({ reason: 'dispatch_failed', detail: null })).toBe('');
});

test('a verb that was mistaken is not answered with a landing without checks (UX 2.2)', () => {
  const done = { status: 'complete', verification: 'overridden', phase: null } as const;
  const refused = wrongVerb(exampleView(done), 'open', 'pawl');
  expect(refused.message).toContain('Did you mean: pawl show 7k2m');
  expect(refused.details.next).toBe('pawl show 7k2m');
  const verified = wrongVerb(exampleView({ ...done, verification: 'passed' }), 'open', 'pawl');
  expect(verified.details.next).toBe('pawl land 7k2m');
});
