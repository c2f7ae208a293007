/** What an adapter may ask of the machine before its program starts. */
import { existsSync, realpathSync } from 'node:fs';
import type { AgentPrograms } from '../ports/agent.ts';
import { ownUid } from './containment/probe.ts';
import { findProgram } from './containment/program-lookup.ts';

/** `path`: the lane's own PATH. */
export function agentPrograms(cwd: string, path: string): AgentPrograms {
  return {
    find(name) {
      const place = findProgram(name, cwd, path);
      return place === null ? null : realpathSync(place);
    },
    has: existsSync,
    isRoot: ownUid() === 0,
  };
}
