/**
 * What goes along with the pullers of a driver: notices, a machine that is kept awake, a sleep that
 * is noticed, artifacts of nobody that go. Each is there when the composition gives what it needs;
 * none stops a run.
 */
import { type CancelSignal, never } from '../kernel/cancel-signal.ts';
import type { ArtifactCollector } from '../ports/collector.ts';
import type { WakeLock } from '../ports/wake-lock.ts';
import { awakeKeeper } from './awake.ts';
import { collectOrphans } from './collecting.ts';
import type { DriverRoles } from './driver-roles.ts';
import type { Engine } from './engine.ts';
import { type NoticeOptions, noticePuller } from './notices.ts';
import { sleepWatch } from './sleep-watch.ts';
import { stopAfter } from './stop-signal.ts';
import { messageOf } from './words.ts';

export interface CompanionOptions {
  readonly engine: Engine;
  /** Absent: nobody is told. */
  readonly notices?: NoticeOptions;
  /** Absent: the machine sleeps when it likes. */
  readonly wakeLock?: WakeLock;
  /** Absent: orphaned artifacts stay. */
  readonly collector?: ArtifactCollector;
}

export interface Companions {
  /** Before timers fire. @throws what the store throws. */
  wake(): Promise<void>;
  /** Returns soon: what takes long goes on beside the pullers. */
  turn(signal: CancelSignal): Promise<void>;
  close(): Promise<void>;
}

export function companions(
  { engine, notices, wakeLock, collector }: CompanionOptions,
  tuning: {
    readonly everyMs: number;
    readonly log: (line: string) => void;
    readonly roles?: Pick<DriverRoles, 'keeper' | 'notices'>;
    /** This machine, where others share the store. */
    readonly worker?: string | null;
  },
): Companions {
  const { log, everyMs, roles } = tuning;
  const { clock } = engine;
  const isKeeper = roles?.keeper.isOurs ?? (() => true);
  const worker = tuning.worker ?? null;
  const watch = sleepWatch(engine, log, { isOurs: isKeeper, worker });
  const told = notices === undefined ? null : noticePuller(engine, notices, log);
  const awake = wakeLock === undefined ? null : awakeKeeper(engine, wakeLock, log);
  const orphans = collector === undefined ? null : orphanTurn(engine, collector, log);
  let nextAtMs = Number.NEGATIVE_INFINITY;

  return {
    wake: () => watch.turn(),
    turn: async (signal) => {
      if (roles?.notices.isOurs() !== false) told?.turn(signal);
      if (isKeeper()) orphans?.turn();
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
      await orphans?.close();
      await awake?.release();
    },
  };
}

/** By the clock that does not count sleep: after one, a put that it interrupted comes first. */
const collectEveryMs = 6 * 3_600_000;

/** Beside the pullers, once when the seat is taken and then each six hours. */
function orphanTurn(engine: Engine, collector: ArtifactCollector, log: (line: string) => void) {
  const stop = stopAfter(never);
  let nextAtMs = Number.NEGATIVE_INFINITY;
  let running: Promise<void> | null = null;
  const collect = async (): Promise<void> => {
    try {
      const gone = await collectOrphans(engine, collector, { signal: stop.signal });
      if (gone === null && !stop.signal.aborted) log('artifacts: more streams than one look lists');
      if (gone !== null && gone.files > 0) {
        log(`artifacts: ${gone.files} of no run removed, ${gone.bytes} bytes`);
      }
    } catch (error: unknown) {
      log(`artifacts: ${messageOf(error)}`);
    }
    running = null;
  };
  return {
    turn: (): void => {
      const nowMs = engine.clock.monotonicMs();
      if (running !== null || nowMs < nextAtMs) return;
      nextAtMs = nowMs + collectEveryMs;
      running = collect();
    },
    close: async (): Promise<void> => {
      stop.stop();
      await running;
    },
  };
}
