/** What a worker's processes compose, without a store: everything lies in the worker's own home. */
import { join } from 'node:path';
import { gitMirrors } from '../git/mirror.ts';
import { nodeClock } from '../host/clock.ts';
import { localLanes } from '../host/local-lanes.ts';
import { nodeProcesses } from '../host/processes.ts';
import { diskArtifacts } from '../store/artifacts/disk-artifacts.ts';
import type { HttpPlane } from '../worker/http-plane.ts';
import { keptClaims } from '../worker/kept-claims.ts';
import { type WorkerPlane, workerPlane } from '../worker/worker-plane.ts';
import { artifactDirectory, checkRecords, homesDirectory, spoolDirectory } from './places.ts';
import type { Surroundings } from './surroundings.ts';

export const claimsOf = ({ home }: Pick<Surroundings, 'home'>) => keptClaims(join(home, 'claims'));

/** For one execution at a time: it holds that one's claim. */
export function planeHere(around: Surroundings, plane: HttpPlane): WorkerPlane {
  const clock = nodeClock();
  return workerPlane({
    plane,
    mirrors: gitMirrors({ home: around.home, env: around.env }),
    local: diskArtifacts({ directory: artifactDirectory(around) }),
    kept: claimsOf(around),
    monotonicMs: () => clock.monotonicMs(),
  });
}

export const processesHere = ({ home, env }: Surroundings) =>
  nodeProcesses({ stateDirectory: join(home, 'containment'), path: env['PATH'] });

/** Only its ending is used here: what is started, the daemon starts. */
export function lanesHere(around: Surroundings, worker: string) {
  const started = () => Promise.reject(new Error('a worker starts hosts by itself'));
  return localLanes({
    processes: processesHere(around),
    clock: nodeClock(),
    worker,
    spoolDirectory: spoolDirectory(around),
    homesDirectory: homesDirectory(around),
    checkRecords: checkRecords(around),
    startLaneHost: started,
    startCheckHost: started,
  });
}
