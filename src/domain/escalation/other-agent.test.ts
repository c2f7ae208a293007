import { expect, test } from 'vitest';
import { exampleDefinition } from '../../../test/support/example-run.ts';
import type { Definition } from '../definition/definition.ts';
import { advisedAgent } from './other-agent.ts';

const plain = exampleDefinition();
const trusted: Definition = { ...plain, permissions: 'trusted' };
const own = (agent: string, command: readonly string[] | null): Definition => ({
  ...trusted,
  roles: { ...plain.roles, verify: { ...plain.roles.execute, profile: 'oracle', agent, command } },
});
const advised = (maker: string, there: readonly string[], definition = trusted) =>
  advisedAgent({ maker, definition, there });

test('one that is there is advised, in the order of preference, and never the one that works', () => {
  expect(advised('claude', ['pi', 'claude', 'opencode', 'codex'])).toBe('codex');
  expect(advised('codex', ['pi', 'claude', 'opencode', 'codex'])).toBe('claude');
  expect(advised('mine', ['pi', 'opencode'])).toBe('opencode');
  expect(advised('claude', ['claude'])).toBeNull();
  expect(advised('claude', [])).toBeNull();
  // What a worker tells of besides: any command, and the example's lane.
  expect(advised('claude', ['command', 'scripted'])).toBeNull();
});

test('one that the definition gives the command of comes after those that are known', () => {
  expect(advised('claude', [], own('reader', ['reader', '{prompt}']))).toBe('reader');
  expect(advised('claude', ['codex'], own('reader', ['reader']))).toBe('codex');
  expect(advised('reader', [], own('reader', ['reader']))).toBeNull();
  expect(advised('mine', [], own('claude', null))).toBeNull();
});

test('none is advised that cannot be held to what the definition allows (UX 1.5)', () => {
  const asks = (permissions: Definition['permissions'], onPermission: 'deny' | 'ask') =>
    advised('mine', ['pi', 'codex', 'qwen'], { ...plain, permissions, onPermission });
  expect(asks('workspace', 'deny')).toBe('codex');
  expect(asks('workspace', 'ask')).toBe('qwen');
  expect(asks('ask', 'ask')).toBe('qwen');
  expect(asks('trusted', 'ask')).toBe('codex');
  expect(advised('mine', ['pi'], { ...plain, permissions: 'workspace' })).toBeNull();
});
