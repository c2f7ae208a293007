import { expect, test } from 'vitest';
import { exampleDefinition } from '../../test/support/example-run.ts';
import type { Definition } from '../domain/definition/definition.ts';
import { runTerms } from '../domain/run/terms.ts';
import { asDryRun } from './dry-run.ts';
import { definitionSchema } from './operator/definition-schema.ts';

const real: Definition = {
  ...exampleDefinition(),
  secrets: { NPM_TOKEN: 'command:pass show npm' },
  notify: { on: ['needs_operator'], to: [{ kind: 'desktop' }] },
  criteria: [
    ...exampleDefinition().criteria,
    { kind: 'oracle', question: 'is it good?', timeoutMs: 1_000 },
    { kind: 'manual', look: 'look at it', timeoutMs: 1_000 },
  ],
};

test('nothing in it could start an agent, ask a judge, look for a secret or tell anybody (XP-41)', () => {
  const dry = asDryRun(real);
  expect(dry).toMatchObject({
    dryRun: true,
    roles: { execute: { agent: 'scripted', command: null, args: [] }, verify: null },
    secrets: {},
    criteria: real.criteria,
    intent: real.intent,
    source: real.source,
  });
  expect(Object.keys(dry)).not.toContain('notify');
  expect(definitionSchema.safeParse(dry).success).toBe(true);
});

test('its criteria are one step of the runtime; with an agent or a judge it is refused', () => {
  const dry = asDryRun(real) as Definition;
  const terms = runTerms(dry, { detached: true });
  const last = real.criteria.length - 1;
  expect(terms).toMatchObject({
    ok: true,
    value: { dryRun: true, git: false, steps: [{ kind: 'checks', from: 0, to: last }] },
  });
  const { execute } = real.roles;
  const armed = { ...dry, roles: { execute, verify: null } };
  expect(runTerms(armed, { detached: true })).toMatchObject({ ok: false });
  const judged = { ...dry, roles: { ...dry.roles, verify: { ...execute, profile: 'oracle' } } };
  expect(runTerms(judged, { detached: true })).toMatchObject({ ok: false });
});
