import type { Definition, Role } from '../definition/definition.ts';
import type { ExecutionRole } from './state.ts';

/** Whose agent does it, of the roles that a definition names; null: no agent does. */
export function agentOf(
  { execute, verify }: Definition['roles'],
  role: ExecutionRole,
): Role | null {
  switch (role) {
    case 'execute':
      return execute;
    case 'judge':
      return verify;
    case 'consult':
      return verify ?? execute;
    default:
      return null;
  }
}
