/** The detached driver: pulls work from the store until nothing is left to do (DESIGN §2). */
import { type DriverSpans, driver } from '../engine/driver.ts';
import { systemWakeLock } from '../host/wake-lock.ts';
import { isTooOld } from '../kernel/too-old.ts';
import type { FaultPoints } from '../ports/fault-points.ts';
import { attestingPlane } from './attesting-plane.ts';
import { fileBudgets } from './budgets.ts';
import { livesFrom, placeOf } from './driver-place.ts';
import { hostLanes } from './host-lanes.ts';
import { noticeCursor, systemNotifier } from './notify.ts';
import { openRuntime } from './runtime.ts';
import { serve } from './serve.ts';
import { spoolReader } from './spool-reader.ts';
import { startProgram } from './start-driver.ts';
import { surroundings } from './surroundings.ts';

/**
 * `entry` is the `import.meta.url` of the program; `faults` and `spans` are given by tests alone.
 */
export async function driverProgram(
  entry: string,
  faults?: FaultPoints,
  spans?: Partial<DriverSpans>,
): Promise<void> {
  const around = surroundings(entry);
  // Told so by its unit: it waits for the seat and does not leave when nothing is to be done.
  const isService = process.argv.includes('--stay');
  await serve('driver', around, async (signal, log) => {
    const runtime = await openRuntime(around, faults);
    try {
      const { why } = await driver({
        engine: runtime.engine,
        lanes: hostLanes(runtime),
        plane: attestingPlane(runtime),
        processes: { self: runtime.processes.self, lives: livesFrom(runtime) },
        worker: runtime.worker,
        place: placeOf(runtime),
        version: isService ? `${around.version}+service` : around.version,
        stay: isService,
        notices: {
          notifier: systemNotifier(around, runtime.clock),
          cursor: noticeCursor(runtime),
        },
        wakeLock: systemWakeLock({ platform: process.platform, env: around.env }),
        heads: runtime.heads,
        readSpool: spoolReader(around),
        collector: runtime.collector,
        budgets: fileBudgets(around),
        log,
        ...(spans === undefined ? {} : { spans }),
      }).run(signal);
      log(`leaves: ${why}`);
    } catch (error: unknown) {
      // Where programs are replaced in their place, what stands there now is the later one; any
      // other finds the store as it opens it, and leaves. A service is started again by its unit.
      if (isTooOld(error) && !isService) await startProgram(runtime, 'driver', []);
      throw error;
    } finally {
      await runtime.close();
    }
  });
}
