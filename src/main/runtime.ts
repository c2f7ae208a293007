/**
 * What every process of ours composes: the store, the engine over it, and what reaches the disk.
 * Parts that cost at start-up (verifier, git's trees) are made on first use.
 */

import { hostname } from 'node:os';
import { join } from 'node:path';
import { type Engine, engine } from '../engine/engine.ts';
import { attendance, seatFigures } from '../engine/seat.ts';
import { publishSigningKey, signingKeys } from '../engine/signing-keys.ts';
import { holderStopped } from '../host/identity.ts';
import { nodeProcesses } from '../host/processes.ts';
import type { Checks } from '../ports/checks.ts';
import type { Clock } from '../ports/clock.ts';
import type { ArtifactCollector } from '../ports/collector.ts';
import type { FaultPoints } from '../ports/fault-points.ts';
import type { HeadSeal } from '../ports/heads.ts';
import type { Processes } from '../ports/processes.ts';
import type { Store } from '../ports/store.ts';
import type { Workspace } from '../ports/workspace.ts';
import type { Signer } from '../verify/signer.ts';
import { agentsOf } from './agents-here.ts';
import { once } from './once.ts';
import { type Opened, openStore } from './open-store.ts';
import { keyDirectory } from './places.ts';
import { startDriver } from './start-driver.ts';
import type { Surroundings } from './surroundings.ts';

export interface Runtime {
  readonly around: Surroundings;
  readonly engine: Engine;
  readonly store: Store;
  readonly collector: ArtifactCollector;
  readonly clock: Clock;
  readonly processes: Processes;
  /** Name of this machine in holders. */
  readonly worker: string;
  workspace(): Promise<Workspace>;
  checks(): Promise<Checks>;
  /** The key of this installation for heads of streams. */
  heads(): Promise<HeadSeal>;
  /** Starts a detached driver unless one of this machine is there to drive. */
  ensureDriver(): Promise<void>;
  close(): Promise<void>;
}

/** `faults` is given by tests alone. */
export async function openRuntime(around: Surroundings, faults?: FaultPoints): Promise<Runtime> {
  return runtimeOver(await openStore(around, faults));
}

/** The parts over a store that is open already. */
export function runtimeOver(opened: Opened): Runtime {
  const { around, clock, ids, store, artifacts, collector } = opened;
  const processes = nodeProcesses({
    stateDirectory: join(around.home, 'containment'),
    path: around.env['PATH'],
  });
  const ownSigner = once(() => sharedSigner(opened));
  // One on another machine does what lies there; what was started here is done here.
  const here = { lives: processes.lives, stopped: holderStopped };
  const drives = attendance(here, { clock, ...seatFigures });
  const runtime: Runtime = {
    around,
    engine: engine({ store, artifacts, clock, ids, agents: agentsOf(around) }),
    store,
    collector,
    clock,
    processes,
    worker: hostname(),
    workspace: once(async () => {
      const { gitWorkspace } = await import('../git/workspace.ts');
      return gitWorkspace({ home: around.home, env: around.env });
    }),
    checks: once(async () => {
      const [{ runtimeChecks }, { gitCheckTrees }, signer] = await Promise.all([
        import('../verify/checks.ts'),
        import('../git/check-trees.ts'),
        ownSigner(),
      ]);
      return runtimeChecks({
        trees: gitCheckTrees({ home: around.home, env: around.env }),
        processes,
        artifacts,
        clock,
        home: around.home,
        signer,
        env: around.env,
      });
    }),
    heads: async () => {
      const [{ headSeal }, signer] = await Promise.all([import('../verify/heads.ts'), ownSigner()]);
      // Read each time: another server of the database may have come since.
      const others = around.database === null ? [] : await signingKeys(store);
      return headSeal(
        signer,
        others.map(({ publicKeyPem }) => publicKeyPem),
      );
    },
    ensureDriver: () => startDriver(runtime, drives),
    close: () => store.close(),
  };
  return runtime;
}

/** The key of this home; servers of one database know each other's by their public parts. */
async function sharedSigner({ around, store }: Opened): Promise<Signer> {
  const { diskSigner } = await import('../verify/signer.ts');
  const signer = diskSigner({ directory: keyDirectory(around) });
  const { keyId, publicKeyPem } = signer;
  if (around.database !== null) {
    await publishSigningKey(store, { keyId, publicKeyPem, machine: hostname() });
  }
  return signer;
}
