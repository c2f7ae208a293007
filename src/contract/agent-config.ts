/**
 * Whether an agent uses what its user has for it beside the login (UX 1.5): `agentConfig`. What
 * cannot be kept is refused or told here, before anything is started.
 */
import { copilotLogins } from '../kernel/copilot-logins.ts';
import { RequestError } from '../kernel/errors.ts';
import type { DefinitionValue, RoleValue } from './definition.ts';
import { isKnown } from './known-agents.ts';
import type { Merged } from './merge.ts';

type Roles = DefinitionValue['roles'];

/** Of the definition as a spread: clean is what counts without a word. */
export function agentConfigOf({ value }: Merged): { readonly agentConfig?: 'user' } {
  return value.agentConfig === 'user' ? { agentConfig: 'user' } : {};
}

/** With a key each known agent has a home of its own, in which nothing of its user's lies. */
export function checkAgentConfig(merged: Merged, roles: Roles, problems: RequestError[]): void {
  if (merged.value.agentConfig !== 'user') return;
  const keyed = (['execute', 'verify'] as const).find((name) => {
    const role = roles[name];
    return role !== null && isAdapted(role) && role.models === 'inject';
  });
  if (keyed === undefined) return;
  problems.push(
    new RequestError(
      'bad_value',
      `"agentConfig: user" and "roles.${keyed}.login: key" do not go together`,
      {
        where: merged.origin(['agentConfig'])?.where(['agentConfig']) ?? '',
        found: `with a key ${roles[keyed]?.agent} has a home of its own, with nothing of yours in it`,
        next: `agentConfig: clean   or   roles.${keyed}.login: user`,
      },
    ),
  );
}

/** What of `clean` an agent of this definition cannot be held to. */
export function agentConfigNotes(
  merged: Merged,
  definition: Pick<DefinitionValue, 'roles' | 'env' | 'secrets'>,
): readonly string[] {
  const { agentConfig } = merged.value;
  if (agentConfig === 'user') return [];
  const { execute, verify } = definition.roles;
  const roles = [execute, ...(verify === null ? [] : [verify])];
  const notes = roles.flatMap((role) => {
    if (!isAdapted(role)) return agentConfig === undefined ? [] : [ofCommand(role)];
    return role.agent === 'copilot' && !hasGivenLogin(role, definition) ? [ofCopilot] : [];
  });
  return [...new Set(notes)];
}

const ofCommand = ({ agent }: RoleValue): string =>
  `agentConfig: clean says nothing of "${agent}": what your own command loads is its own affair`;

const ofCopilot =
  'agentConfig: clean: copilot cannot hide personal hooks and plugins while its login lies in ' +
  `~/.copilot; with ${copilotLogins[0]} among secrets it can`;

function hasGivenLogin(
  { models }: RoleValue,
  { env, secrets }: Pick<DefinitionValue, 'env' | 'secrets'>,
): boolean {
  if (models === 'inject') return true;
  const { values = {}, withheld = [] } = env.started ?? {};
  const given = [env.set, secrets, values].flatMap(Object.keys);
  return copilotLogins.some((name) => given.includes(name) || withheld.includes(name));
}

/** It is spoken with by an adapter of ours, not started by a command of the file. */
const isAdapted = ({ agent, command }: RoleValue): boolean => command === null && isKnown(agent);
