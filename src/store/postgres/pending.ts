/** What a drain is given, and the commands that wait in it. */
import type { Clock } from '../../ports/clock.ts';
import type { FaultPoints } from '../../ports/fault-points.ts';
import type { Decide, Settled, StreamCommand } from '../../ports/store.ts';
import type { Database } from './connect.ts';

export interface DrainOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly ttlMs: number;
  readonly faults?: FaultPoints | undefined;
  readonly committed: () => void;
}

export interface Pending {
  readonly command: StreamCommand;
  readonly decide: Decide<StreamCommand, unknown>;
  readonly call: symbol;
  readonly until: number;
  readonly settle: (settled: Settled<unknown>) => void;
  /** Times that its run had moved. */
  lost: number;
  /** A statement with it and others has failed. */
  alone: boolean;
  /** Why it was not written yet. */
  trouble: unknown;
}
