/** The lanes of this machine: hosts are programs of ours, started in sessions of their own. */
import { localLanes } from '../host/local-lanes.ts';
import type { Lanes } from '../ports/lanes.ts';
import { checkRecords, homesDirectory, spoolDirectory } from './places.ts';
import type { Runtime } from './runtime.ts';
import { startProgram } from './start-driver.ts';

export function hostLanes(runtime: Runtime): Lanes {
  const { around, processes, clock, worker, store } = runtime;
  return localLanes({
    processes,
    clock,
    worker,
    isShared: store.isShared,
    spoolDirectory: spoolDirectory(around),
    homesDirectory: homesDirectory(around),
    checkRecords: checkRecords(around),
    startLaneHost: ({ id }) => startProgram(runtime, 'lane-host', [id], { PAWL_EXECUTION: id }),
    startCheckHost: () => startProgram(runtime, 'check-host', []),
  });
}

/** What runs here is looked after; nothing is started, since workers do all the work. */
export const lanesElsewhere = (runtime: Runtime): Lanes => ({
  ...hostLanes(runtime),
  elsewhere: true,
});
