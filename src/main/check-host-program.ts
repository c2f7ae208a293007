/** The check host: one process of this machine in which setups, baselines and checks run. */
import { checksSeatOf } from '../engine/driver-roles.ts';
import { checkHost } from '../host/check-host.ts';
import type { FaultPoints } from '../ports/fault-points.ts';
import { attestingPlane } from './attesting-plane.ts';
import { placeOf } from './driver-place.ts';
import { checkRecords } from './places.ts';
import { openRuntime } from './runtime.ts';
import { serve } from './serve.ts';
import { surroundings } from './surroundings.ts';

/** Checks at once: each is a build or a test run that uses several cores itself. */
const slots = 2;

/** `faults` is given by tests alone. */
export async function checkHostProgram(entry: string, faults?: FaultPoints): Promise<void> {
  const around = surroundings(entry);
  await serve('check-host', around, async (signal, log) => {
    const runtime = await openRuntime(around, faults);
    try {
      const { engine, store, processes, clock, worker, ensureDriver } = runtime;
      const { name, lies } = placeOf(runtime);
      const { why } = await checkHost({
        ...(store.isShared ? { seat: checksSeatOf(name), lies } : {}),
        plane: attestingPlane(runtime),
        store,
        checks: await runtime.checks(),
        workspace: await runtime.workspace(),
        artifacts: engine.artifacts,
        clock,
        ids: engine.ids,
        processes,
        worker,
        version: around.version,
        slots,
        checkRecords: checkRecords(around),
        ensureDriver,
        log,
        ...(faults === undefined ? {} : { faults }),
      }).run(signal);
      log(`leaves: ${why}`);
    } finally {
      await runtime.close();
    }
  });
}
