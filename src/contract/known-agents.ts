/**
 * The agents that are known by name: how each is driven, and what it can be held to. Each is spoken
 * with by an adapter of its own (`src/agents`); `agents:` in a file wins over a row of its name.
 */
import { agentPermissions } from '../kernel/agent-permissions.ts';
import type { DefinitionValue, RoleValue } from './definition.ts';

type Permissions = DefinitionValue['permissions'];

/** The Agent Client Protocol, a stream of JSON of its own, a terminal, or nothing but its files. */
type Driver = 'acp' | 'json' | 'pty' | 'command';

const starts: ReadonlyMap<string, Driver> = new Map([
  ['claude', 'json'],
  ['codex', 'json'],
  ['opencode', 'acp'],
  ['gemini', 'acp'],
  ['pi', 'json'],
  ['qwen', 'acp'],
  ['copilot', 'acp'],
]);

export const knownNames: readonly string[] = [...starts.keys()];

export function isKnown(name: string): boolean {
  return starts.has(name);
}

/** How the agent of a role is driven. */
export function driverOf({
  agent,
  command,
  protocol,
}: Pick<RoleValue, 'agent' | 'command' | 'protocol'>): Driver {
  if (command !== null) return protocol ?? 'command';
  return starts.get(agent) ?? 'command';
}

/** `isOwn`: its command stands in the file. */
export function permissionsOf(name: string | undefined, isOwn: boolean): readonly Permissions[] {
  const known = name === undefined || isOwn ? undefined : agentPermissions.get(name);
  return known ?? ['trusted'];
}

/** Whether its requests for leave can be put before a human. An own command is asked nothing. */
export function asksLeave(name: string | undefined, isOwn: boolean): boolean {
  return permissionsOf(name, isOwn).includes('ask');
}

/** Where nothing is said: who may do less than he wants asks, if that is what he is held to. */
export const usualOnPermission = (permissions: Permissions): 'ask' | 'deny' =>
  permissions === 'ask' ? 'ask' : 'deny';

/** Where nothing is said: the narrower of the two that ask nobody, when it is kept to. */
export function usualPermissions(held: readonly Permissions[]): Permissions {
  return held.includes('workspace') ? 'workspace' : 'trusted';
}
