/** What the check host is composed of. */
import type { SeatName } from '../kernel/driver-seats.ts';
import type { Artifacts } from '../ports/artifacts.ts';
import type { Checks } from '../ports/checks.ts';
import type { Clock } from '../ports/clock.ts';
import type { FaultPoints } from '../ports/fault-points.ts';
import type { Ids } from '../ports/ids.ts';
import type { Plane } from '../ports/plane.ts';
import type { Processes } from '../ports/processes.ts';
import type { ExecutionRow, Store } from '../ports/store.ts';
import type { Workspace } from '../ports/workspace.ts';
import type { RemoteMeans } from './lane-work.ts';

export interface CheckHostOptions {
  readonly plane: Plane;
  readonly store: Pick<Store, 'dispatchable' | 'takeSeat' | 'beatSeat' | 'leaveSeat'>;
  readonly checks: Checks;
  readonly workspace: Pick<Workspace, 'openTree' | 'putBack'>;
  readonly artifacts: Artifacts;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly processes: Pick<Processes, 'self' | 'lives'>;
  readonly worker: string;
  /** Of the state folder, where machines share the store; else there is one. */
  readonly seat?: SeatName;
  /** Whether what a check needs lies on this machine; absent: it does. */
  readonly lies?: (row: ExecutionRow) => Promise<boolean>;
  readonly version: string;
  /** Checks at once. */
  readonly slots: number;
  /** Folder of the containment records of checks; what is left there was not proven ended. */
  readonly checkRecords: string;
  readonly ensureDriver: () => Promise<void>;
  /** Set on a machine that works for another. */
  readonly remote?: Pick<RemoteMeans, 'bring'>;
  readonly faults?: FaultPoints;
  readonly log?: (line: string) => void;
  readonly spans?: Partial<CheckHostSpans>;
}

/** What one check needs, without the seat and the pool. */
export type CheckRunOptions = Omit<
  CheckHostOptions,
  'store' | 'version' | 'slots' | 'spans' | 'processes' | 'seat' | 'lies'
> & { readonly processes: Pick<Processes, 'self'> };

export interface CheckHostSpans {
  readonly pollMs: number;
  readonly beatMs: number;
  /** Without work it leaves after this. */
  readonly lingerMs: number;
}
