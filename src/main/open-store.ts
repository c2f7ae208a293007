import { nodeClock } from '../host/clock.ts';
import { nodeIds } from '../host/ids.ts';
import type { Artifacts } from '../ports/artifacts.ts';
import type { Clock } from '../ports/clock.ts';
import type { FaultPoints } from '../ports/fault-points.ts';
import type { Ids } from '../ports/ids.ts';
import type { Store } from '../ports/store.ts';
import { diskArtifacts } from '../store/artifacts/disk-artifacts.ts';
import { sqliteStore } from '../store/sqlite/sqlite-store.ts';
import { artifactDirectory } from './places.ts';
import type { Surroundings } from './surroundings.ts';

/** What every process of ours has open, whatever else it composes. */
export interface Opened {
  readonly around: Surroundings;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly store: Store;
  readonly artifacts: Artifacts;
}

/** Opens this machine's store, or the database that is named. `faults` is for tests alone. */
export async function openStore(around: Surroundings, faults?: FaultPoints): Promise<Opened> {
  const clock = nodeClock();
  const store = await storeOf(around, { clock, ...(faults === undefined ? {} : { faults }) });
  const artifacts = diskArtifacts({ directory: artifactDirectory(around) });
  return { around, clock, ids: nodeIds(), store, artifacts };
}

type Means = Pick<Opened, 'clock'> & { readonly faults?: FaultPoints };

async function storeOf({ home, database }: Surroundings, means: Means): Promise<Store> {
  if (database === null) return sqliteStore({ directory: home, ...means });
  const { openPostgresStore } = await import('../store/postgres/postgres-store.ts');
  return await openPostgresStore({ url: database, ...means });
}
