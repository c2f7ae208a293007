/**
 * One execution on a worker: the lane host and the check run of a single machine, over the plane of
 * a server, in a process of its own. It has neither store nor repository, and of the environment of
 * whoever started the worker only what `hostEnvironment` let through.
 */
import { join } from 'node:path';
import { adapterOf } from '../agents/adapters.ts';
import { role as roles } from '../contract/plane-words.ts';
import { isLaneRole } from '../domain/execution/roles.ts';
import type { ExecutionRole } from '../domain/execution/state.ts';
import type { ExecutionId } from '../domain/ids.ts';
import { gitCheckTrees } from '../git/check-trees.ts';
import { gitWorkspace } from '../git/workspace.ts';
import { runCheck } from '../host/check-run.ts';
import { nodeClock } from '../host/clock.ts';
import { nodeIds } from '../host/ids.ts';
import { laneHost } from '../host/lane-host.ts';
import { terminalRunner } from '../host/terminal/runner-line.ts';
import { invariant } from '../kernel/invariant.ts';
import { toldClock } from '../ports/told-clock.ts';
import { runtimeChecks } from '../verify/checks.ts';
import { runtimeJudges } from '../verify/judge/judges.ts';
import { judgeTrees } from './judge-trees.ts';
import { laneModelsDoor } from './models-door.ts';
import { checkRecords, homesDirectory, spoolDirectory } from './places.ts';
import { type Log, serve } from './serve.ts';
import { type Surroundings, surroundings } from './surroundings.ts';
import { needIdentity, planeOf, workerSigner } from './worker-identity.ts';
import { planeHere, processesHere } from './worker-parts.ts';

/** Arguments: the execution and its role. */
export async function workerHostProgram(entry: string): Promise<void> {
  const around = surroundings(entry);
  await serve('worker-host', around, async (signal, log) => {
    const [execution, role] = process.argv.slice(2);
    invariant(execution !== undefined && isRole(role), 'a host is told its execution and role');
    const id = execution as ExecutionId;
    await (isLaneRole(role) ? lane : check)({ around, id, signal, log });
  });
}

const isRole = (text: string | undefined): text is ExecutionRole =>
  roles.options.some((role) => role === text);

interface Told {
  readonly around: Surroundings;
  readonly id: ExecutionId;
  readonly signal: AbortSignal;
  readonly log: Log;
}

/** What both kinds of host stand on. */
function partsOf({ around, log }: Told) {
  const identity = needIdentity(around);
  // Every instant that it writes down or hands in is one of the server's time.
  const time = toldClock(nodeClock());
  const plane = planeHere(around, planeOf(identity, { time }));
  const git = { home: around.home, env: around.env, isolated: true };
  const trees = gitCheckTrees(git);
  const [clock, processes] = [time.clock, processesHere(around)];
  const { artifacts } = plane;
  const signer = workerSigner(identity);
  const { home, env } = around;
  return {
    plane,
    trees,
    signer,
    common: {
      plane,
      workspace: gitWorkspace(git),
      checks: runtimeChecks({ trees, processes, artifacts, clock, home, signer, env }),
      processes,
      artifacts,
      clock,
      ids: nodeIds(),
      worker: identity.worker,
      remote: { bring: plane.bring, credentials: plane.credentials },
      // The server goes on with the run by itself.
      ensureDriver: async () => undefined,
      log,
    },
  };
}

async function lane(told: Told): Promise<void> {
  const { around, id, signal, log } = told;
  const { common, trees, signer } = partsOf(told);
  const { artifacts, clock } = common;
  const host = laneHost({
    ...common,
    judges: runtimeJudges({ artifacts, clock, signer, trees }),
    judgeTree: judgeTrees({ home: around.home, env: around.env, isolated: true }),
    modelsDoor: laneModelsDoor(clock),
    adapter: adapterOf,
    terminalRunner: terminalRunner(join(around.programs, 'terminal-runner.js')),
    spoolDirectory: spoolDirectory(around),
    homesDirectory: homesDirectory(around),
    env: around.env,
  });
  const { how, detail } = await host.run(id, signal);
  log(`${id} ${how}: ${detail}`);
}

async function check(told: Told): Promise<void> {
  const { common } = partsOf(told);
  const options = { ...common, checkRecords: checkRecords(told.around) };
  await runCheck(options, told.id, told.signal);
  told.log(`${told.id} ended`);
}
