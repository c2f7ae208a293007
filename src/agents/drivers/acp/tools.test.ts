import { expect, test } from 'vitest';
import { toolLedger } from './tools.ts';

const usual = { nameOf: () => null, beginsPending: true };
const tools = () => toolLedger(usual);
const call = (toolCallId: string, more = {}) => ({ toolCallId, ...more });

test('a call begins once and ends once, whatever is said of it afterwards', () => {
  const ledger = tools();
  const events = [
    ...ledger.seen(call('a', { status: 'pending', kind: 'execute', rawInput: { timeout: 5_000 } })),
    ...ledger.seen(call('a', { status: 'in_progress' })),
    ...ledger.seen(call('a', { status: 'completed' })),
    ...ledger.seen(call('a', { status: 'pending' })),
    ...ledger.seen(call('a', { status: 'failed' })),
    ...ledger.close(),
  ].filter(({ kind }) => kind !== 'notice');
  expect(events).toEqual([
    { kind: 'tool_started', id: 'a', name: 'execute', timeoutMs: 5_000 },
    { kind: 'tool_finished', id: 'a', status: 'completed' },
  ]);
});

test('an update for an id that nobody announced begins it (gemini, qwen, cline)', () => {
  expect(tools().seen(call('a', { status: 'failed', title: 'ls' }))).toEqual([
    { kind: 'tool_started', id: 'a', name: 'ls', timeoutMs: null },
    { kind: 'tool_finished', id: 'a', status: 'failed' },
  ]);
});

test('what is open when the turn ends is unknown, never done', () => {
  const ledger = tools();
  ledger.seen(call('a'));
  ledger.seen(call('b', { status: 'whatever' }));
  expect(ledger.close()).toEqual([
    { kind: 'tool_finished', id: 'a', status: 'unknown' },
    { kind: 'tool_finished', id: 'b', status: 'unknown' },
  ]);
  expect(ledger.close()).toEqual([]);
});

test('where pending is not running, a call keeps the name by which it was announced', () => {
  const ledger = toolLedger({
    nameOf: ({ status, title }) => (status === 'pending' ? String(title) : null),
    beginsPending: false,
  });
  expect(ledger.seen(call('a', { status: 'pending', title: 'bash' }))).toEqual([
    { kind: 'notice' },
  ]);
  expect(ledger.nameOf(call('a', { status: 'pending', title: 'rm -rf' }))).toBe('bash');
  expect(ledger.seen(call('a', { status: 'in_progress', title: 'rm' }))).toMatchObject([
    { kind: 'tool_started', name: 'bash' },
  ]);
});

test('a call without an id is a sign of life and nothing else', () => {
  expect(tools().seen({ toolCallId: 4 })).toEqual([{ kind: 'notice' }]);
  expect(tools().allowed({})).toEqual([]);
});

test('a call that was allowed runs, although it is never announced (gemini)', () => {
  const ledger = tools();
  expect(ledger.allowed(call('a', { kind: 'execute' }))).toMatchObject([{ kind: 'tool_started' }]);
  expect(ledger.seen(call('a', { status: 'completed' }))).toEqual([
    { kind: 'tool_finished', id: 'a', status: 'completed' },
  ]);
});

test('of endless open calls the oldest is given up', () => {
  const ledger = tools();
  const events = Array.from({ length: 1_000 }, (_, n) => ledger.seen(call(`c${n}`))).flat();
  expect(events.filter(({ kind }) => kind === 'tool_finished')).toHaveLength(800);
  expect(ledger.close()).toHaveLength(200);
});
