import { nodeClock } from '../host/clock.ts';
import { nodeIds } from '../host/ids.ts';
import type { ArtifactStore } from '../ports/artifacts.ts';
import type { Clock } from '../ports/clock.ts';
import type { ArtifactCollector } from '../ports/collector.ts';
import type { FaultPoints } from '../ports/fault-points.ts';
import type { Ids } from '../ports/ids.ts';
import type { Store } from '../ports/store.ts';
import { diskCollector } from '../store/artifacts/collect-artifacts.ts';
import { diskArtifacts } from '../store/artifacts/disk-artifacts.ts';
import { readThrough } from '../store/artifacts/read-through.ts';
import { sqliteStore } from '../store/sqlite/sqlite-store.ts';
import { artifactDirectory } from './places.ts';
import type { Surroundings } from './surroundings.ts';

/** What every process of ours has open, whatever else it composes. */
export interface Opened {
  readonly around: Surroundings;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly store: Store;
  readonly artifacts: ArtifactStore;
  readonly collector: ArtifactCollector;
}

/** Opens this machine's store, or the database that is named. `faults` is for tests alone. */
export async function openStore(around: Surroundings, faults?: FaultPoints): Promise<Opened> {
  const own = nodeClock();
  const means = { clock: own, ...(faults === undefined ? {} : { faults }) };
  const kept = await (around.database === null
    ? inFiles(around, means)
    : inDatabase(around, around.database, means));
  return { around, ids: nodeIds(), ...kept };
}

type Means = Pick<Opened, 'clock'> & { readonly faults?: FaultPoints };
type Kept = Pick<Opened, 'store' | 'artifacts' | 'collector' | 'clock'>;

async function inFiles(around: Surroundings, means: Means): Promise<Kept> {
  const store = await sqliteStore({ directory: around.home, ...means });
  const directory = artifactDirectory(around);
  const collector = diskCollector({ directory, store });
  return { store, artifacts: diskArtifacts({ directory }), collector, clock: means.clock };
}

async function inDatabase(around: Surroundings, url: string, means: Means): Promise<Kept> {
  const { openPostgres } = await import('../store/postgres/postgres-store.ts');
  // A file has one machine and its clock; a database has many, and tells them its own.
  const { store, artifacts, collector, clock } = await openPostgres({ url, ...means });
  const before = diskArtifacts({ directory: artifactDirectory(around) });
  return { store, artifacts: readThrough(artifacts, before), collector, clock };
}
