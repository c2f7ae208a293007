import type { Clock } from '../../ports/clock.ts';
import type { FaultPoints } from '../../ports/fault-points.ts';
import type { Store } from '../../ports/store.ts';

export interface SqliteStoreOptions {
  /** Made with mode 0700 when it is not there; on a disk of this machine. */
  readonly directory: string;
  readonly clock: Clock;
  /** Named points at which a test may end the process; the shipped composition has none. */
  readonly faults?: FaultPoints;
}

export async function sqliteStore(options: SqliteStoreOptions): Promise<Store> {
  throw new Error(`being written: ${options.directory}`);
}
