/** The lanes of this machine: hosts are programs of ours, started in sessions of their own. */
import { adapterNames } from '../agents/adapters.ts';
import { localLanes } from '../host/local-lanes.ts';
import type { Lanes } from '../ports/lanes.ts';
import { checkRecords, homesDirectory, spoolDirectory } from './places.ts';
import { pathPrograms } from './programs.ts';
import type { Runtime } from './runtime.ts';
import { startProgram } from './start-driver.ts';

export function hostLanes(runtime: Runtime): Lanes {
  const { around, processes, clock, worker, store } = runtime;
  const lanes = localLanes({
    processes,
    clock,
    worker,
    isShared: store.isShared,
    spoolDirectory: spoolDirectory(around),
    homesDirectory: homesDirectory(around),
    checkRecords: checkRecords(around),
    startLaneHost: ({ id }) => startProgram(runtime, 'lane-host', [id], { PAWL_EXECUTION: id }),
    startCheckHost: () => startProgram(runtime, 'check-host', []),
    keep: async (tree, execution) => (await runtime.workspace()).salvage(tree, execution),
  });
  const programs = pathPrograms(around);
  const has = async (capability: string) => {
    const agent = adapterNames.find((name) => capability === `agent:${name}`);
    return agent === undefined || (await programs.find(agent)) !== null;
  };
  return { ...lanes, has };
}

/** What runs here is looked after; nothing is started, since workers do all the work. */
export const lanesElsewhere = (runtime: Runtime): Lanes => ({
  ...hostLanes(runtime),
  elsewhere: true,
});
