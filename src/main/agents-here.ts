/** The agents of this machine, as a page advises them; loaded by the first run that is parked. */
import type { AgentsHere } from '../ports/agents-here.ts';
import { once } from './once.ts';
import type { Surroundings } from './surroundings.ts';

export function agentsOf(around: Surroundings): AgentsHere {
  const made = once(async () => {
    const [{ agentsHere }, { pathPrograms }] = await Promise.all([
      import('../detect/agents.ts'),
      import('./programs.ts'),
    ]);
    const { userHome: home } = around;
    return agentsHere({ programs: pathPrograms(around), home, platform: process.platform });
  });
  return { of: async (definition) => (await made()).of(definition) };
}
