import { expect, test } from 'vitest';
import { exampleDefinition } from '../../../test/support/example-run.ts';
import { rolesJson, rolesWords } from './roles.ts';

const role = { agent: 'claude', command: null, model: null, args: [] };
const pair = {
  execute: { ...role, profile: 'designer', model: 'sonnet' },
  verify: { ...role, profile: 'observer', agent: 'codex' },
};

test('who makes and who judges is told by profile and agent, with the domain (EV-16, EV-66)', () => {
  expect(rolesWords(exampleDefinition({ roles: pair, domain: 'ui' }))).toBe(
    'designer on claude:sonnet, judged by observer on codex (domain: ui)',
  );
  expect(rolesWords(exampleDefinition({ roles: { ...pair, verify: null } }))).toBe(
    'designer on claude:sonnet, no agent judges',
  );
  expect(rolesWords(exampleDefinition())).toBe(null);
  expect(rolesJson(exampleDefinition({ roles: pair }))).toEqual({
    domain: null,
    execute: { profile: 'designer', agent: 'claude', model: 'sonnet' },
    verify: { profile: 'observer', agent: 'codex', model: null },
  });
});
