import { expect, test } from 'vitest';
import { exampleDefinition, exampleView } from '../../../test/support/example-run.ts';
import type { Definition } from '../../ports/words.ts';
import { headerLines } from './header.ts';

const brakesOf = (change: Partial<Definition>, command: readonly string[] | null = null) => {
  const example = exampleDefinition();
  const execute = { ...example.roles.execute, agent: 'claude', command };
  const definition = { ...example, roles: { ...example.roles, execute }, ...change };
  return headerLines(exampleView(), definition, [], 200).find((line) => line.startsWith('brakes'));
};

test('whether your own set-up of an agent is used is said once, in the head (UX 1.5)', () => {
  expect(brakesOf({})).toMatch(/ · worktree · agentConfig clean$/);
  expect(brakesOf({ agentConfig: 'user' })).toMatch(/ · worktree · agentConfig user$/);
  expect(brakesOf({}, ['my-agent'])).toMatch(/ · worktree$/);
});
