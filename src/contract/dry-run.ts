/**
 * The definition of a dry run: the same goal, source, checks and brakes, and nothing in it that
 * could start an agent, ask a judge, look for a secret or tell anybody. Who reads it on its way, a
 * server or a worker, finds no agent there to start by mistake.
 */
import { scriptedLane } from '../kernel/scripted-lane.ts';
import type { DefinitionValue } from './definition.ts';

export function asDryRun(definition: DefinitionValue): DefinitionValue {
  const { notify: _told, artifacts: _left, env, ...rest } = definition;
  const { started: _started, ...own } = env;
  const execute = {
    profile: definition.roles.execute.profile,
    agent: scriptedLane,
    command: null,
    model: null,
    args: [],
    ...(definition.roles.execute.labels === undefined
      ? {}
      : { labels: definition.roles.execute.labels }),
  };
  return {
    ...rest,
    dryRun: true,
    roles: { execute, verify: null },
    env: own,
    secrets: {},
    verifyTree: 'clean',
    keepAwake: false,
  };
}
