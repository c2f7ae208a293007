/**
 * What goes along with the pullers of a driver: notices, a machine that is kept awake, and a sleep
 * that is noticed. Each is there when the composition gives what it needs; none stops a run.
 */
import type { CancelSignal } from '../kernel/cancel-signal.ts';
import type { WakeLock } from '../ports/wake-lock.ts';
import { awakeKeeper } from './awake.ts';
import type { Engine } from './engine.ts';
import { type NoticeOptions, noticePuller } from './notices.ts';
import { sleepWatch } from './sleep-watch.ts';
import { messageOf } from './words.ts';

export interface CompanionOptions {
  readonly engine: Engine;
  /** Absent: nobody is told. */
  readonly notices?: NoticeOptions;
  /** Absent: the machine sleeps when it likes. */
  readonly wakeLock?: WakeLock;
}

export interface Companions {
  /** Before timers fire. @throws what the store throws. */
  wake(): Promise<void>;
  /** Returns soon: what takes long goes on beside the pullers. */
  turn(signal: CancelSignal): Promise<void>;
  close(): Promise<void>;
}

export function companions(
  { engine, notices, wakeLock }: CompanionOptions,
  tuning: { readonly everyMs: number; readonly log: (line: string) => void },
): Companions {
  const { log, everyMs } = tuning;
  const { clock } = engine;
  const watch = sleepWatch(engine, log);
  const told = notices === undefined ? null : noticePuller(engine, notices, log);
  const awake = wakeLock === undefined ? null : awakeKeeper(engine, wakeLock, log);
  let nextAtMs = Number.NEGATIVE_INFINITY;

  return {
    wake: () => watch.turn(),
    turn: async (signal) => {
      told?.turn(signal);
      if (awake === null || clock.monotonicMs() < nextAtMs) return;
      nextAtMs = clock.monotonicMs() + everyMs;
      try {
        await awake.turn();
      } catch (error: unknown) {
        log(`keep awake: ${messageOf(error)}`);
      }
    },
    close: async () => {
      await told?.settled();
      await awake?.release();
    },
  };
}
