/** Which agent the page of a parked run advises in place of the one that works. */
import { agentPermissions } from '../../kernel/agent-permissions.ts';
import type { Definition } from '../definition/definition.ts';

export interface OtherAgentFacts {
  /** The agent that works, as the user knows it. */
  readonly maker: string;
  readonly definition: Pick<Definition, 'roles' | 'permissions' | 'onPermission'>;
  /** Agents known by name that are there where its lanes would run. */
  readonly there: readonly string[];
}

/**
 * One that is there and can be held to what the definition allows; else one that the definition
 * itself gives the command of; null: none.
 */
export function advisedAgent({ maker, definition, there }: OtherAgentFacts): string | null {
  const known = [...agentPermissions].find(
    ([name, held]) => name !== maker && there.includes(name) && isHeld(held, definition),
  );
  if (known !== undefined) return known[0];
  const { verify } = definition.roles;
  const isOwn = verify !== null && verify.command !== null && verify.agent !== maker;
  return isOwn ? verify.agent : null;
}

/** As a definition is refused otherwise (contract/roles). */
function isHeld(
  held: readonly string[],
  { permissions, onPermission }: OtherAgentFacts['definition'],
): boolean {
  const isAsked = onPermission === 'ask' && permissions !== 'trusted';
  return held.includes(permissions) && (!isAsked || held.includes('ask'));
}
