/**
 * The driver: the process that runs the pullers over the rows — dispatch, timers, sweep. One is
 * active by a row of the store (its seat), others stand by (DESIGN §2).
 */

import type { CancelSignal } from '../kernel/cancel-signal.ts';
import type { Lanes } from '../ports/lanes.ts';
import type { Processes } from '../ports/processes.ts';
import type { Engine } from './engine.ts';

export interface DriverOptions {
  readonly engine: Engine;
  readonly lanes: Lanes;
  readonly processes: Pick<Processes, 'self' | 'lives'>;
  /** Name of this machine in holders. */
  readonly worker: string;
  /** Version of the program, shown by `status`. */
  readonly version: string;
  /** What happened, one line each, for the driver's log. */
  readonly log?: (line: string) => void;
  readonly spans?: Partial<DriverSpans>;
}

export interface DriverSpans {
  readonly sweepMs: number;
  readonly beatMs: number;
  /** A seat or a lease whose beat stands still this long, in two looks, is silent. */
  readonly ttlMs: number;
  readonly offerMs: number;
  /** Longest sleep between two looks at the rows. */
  readonly pollMs: number;
  /** How long the driver stays when no run has work or a timer. */
  readonly lingerMs: number;
}

export const driverDefaults: DriverSpans = {
  sweepMs: 15_000,
  beatMs: 5_000,
  ttlMs: 30_000,
  offerMs: 10_000,
  pollMs: 500,
  lingerMs: 60_000,
};

export interface Driver {
  /** Runs until the signal, until another driver holds the seat, or until nothing is left to do. */
  run(signal: CancelSignal): Promise<{ readonly why: 'asked' | 'idle' | 'seat_taken' }>;
}

export type DriverFactory = (options: DriverOptions) => Driver;
