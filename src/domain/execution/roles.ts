/** What the roles of executions have in common. */
import type { ExecutionRole } from './state.ts';

/** An agent does it, in a lane; everything else the runtime runs itself. */
export const isLaneRole = (role: ExecutionRole): boolean => role !== 'prepare' && role !== 'verify';

/** Its lane looks at recorded work and changes nothing. */
export const readsOnly = (role: ExecutionRole): boolean => role === 'judge' || role === 'consult';
