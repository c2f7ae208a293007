import type { Client } from '../ports/client.ts';
import type { FaultPoints } from '../ports/fault-points.ts';
import type { Surroundings } from './surroundings.ts';

/**
 * Opens the store of this machine and the client over it; loads what a command asks for, no more.
 */
export async function connect(around: Surroundings, faults?: FaultPoints): Promise<Client> {
  const [{ openRuntime }, { engineClient }, { spoolReader }] = await Promise.all([
    import('./runtime.ts'),
    import('../engine/client.ts'),
    import('./spool-reader.ts'),
  ]);
  const runtime = await openRuntime(around, faults);
  return engineClient({
    engine: runtime.engine,
    workspace: runtime.workspace,
    checks: runtime.checks,
    heads: runtime.heads,
    ensureDriver: runtime.ensureDriver,
    lives: runtime.processes.lives,
    readSpool: spoolReader(around),
    close: runtime.close,
  });
}
