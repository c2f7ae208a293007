/** The adapter of a role: by the name of its agent, or the one of any command. */
import type { Role } from '../domain/definition/definition.ts';
import type { Adapter } from '../ports/agent.ts';
import { commandAdapter } from './command/adapter.ts';

/** @throws RequestError `agent_missing`. */
export function adapterOf(role: Role): Adapter {
  return commandAdapter(role);
}
