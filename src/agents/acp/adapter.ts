/**
 * Any agent that speaks ACP, started by an argv of the definition (`agents: { mine: { acp: […] }
 * }`). Nothing is known of its modes, so it is only taken as `trusted`: what it asks for is
 * allowed.
 */
import type { Role } from '../../domain/definition/definition.ts';
import { RequestError } from '../../kernel/errors.ts';
import type { Adapter } from '../../ports/agent.ts';
import { fillTemplate } from '../command/template.ts';
import { templateValues } from '../command/template-values.ts';
import { acpTurn, plainProfile } from '../drivers/acp/profile.ts';
import { acpTalk } from '../drivers/acp/talk.ts';
import { turnEnvironment } from '../turn-environment.ts';

/** @throws RequestError `agent_missing` when the role names no command. */
export function acpAdapter(role: Role): Adapter {
  const template = role.command ?? [];
  if (template.length === 0) {
    throw new RequestError('agent_missing', `there is no command for the agent "${role.agent}"`);
  }
  return {
    name: 'acp',
    version: '1',
    launch(setting) {
      const argv = fillTemplate([...template, ...role.args], templateValues(setting, role.model));
      const talk = acpTalk(acpTurn(setting, plainProfile, []));
      return { argv, env: turnEnvironment(setting), stdin: null, talk };
    },
  };
}
