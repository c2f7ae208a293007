/**
 * The client of the command line. A reader opens the store and no more: what decides, verifies and
 * spawns is loaded by the first command that asks for it, since `pawl status` is typed often.
 */
import { hostname } from 'node:os';
import { engineClient } from '../engine/client.ts';
import type { Engine } from '../engine/engine.ts';
import { holderLives, holderStopped } from '../host/identity.ts';
import type { Client } from '../ports/client.ts';
import type { FaultPoints } from '../ports/fault-points.ts';
import { agentsOf } from './agents-here.ts';
import { livesFrom } from './driver-place.ts';
import { once } from './once.ts';
import { openStore } from './open-store.ts';
import type { Surroundings } from './surroundings.ts';

/** Opens the store of this machine and the client over it. */
export async function connect(around: Surroundings, faults?: FaultPoints): Promise<Client> {
  const opened = await openStore(around, faults);
  const { store, artifacts, collector, clock, ids } = opened;
  const runtime = once(async () => {
    const { runtimeOver } = await import('./runtime.ts');
    return runtimeOver(opened);
  });
  const issue: Engine['issue'] = async (command) => (await runtime()).engine.issue(command);
  return engineClient({
    engine: { store, artifacts, clock, ids, agents: agentsOf(around), issue },
    workspace: async () => (await runtime()).workspace(),
    checks: async () => (await runtime()).checks(),
    heads: async () => (await runtime()).heads(),
    collector,
    ensureDriver: async () => (await runtime()).ensureDriver(),
    lives: livesFrom({ store, worker: hostname(), processes: { lives: holderLives } }),
    stopped: holderStopped,
    readSpool: async (execution) => {
      const { spoolReader } = await import('./spool-reader.ts');
      return await spoolReader(around)(execution);
    },
    close: () => store.close(),
  });
}
