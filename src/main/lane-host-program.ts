/** One lane host: wires the host, git, the judge and the agent's adapter for one execution. */
import { join } from 'node:path';
import { adapterOf } from '../agents/adapters.ts';
import type { ExecutionId } from '../domain/ids.ts';
import { gitCheckTrees } from '../git/check-trees.ts';
import { laneHost } from '../host/lane-host.ts';
import { terminalRunner } from '../host/terminal/runner-line.ts';
import { invariant } from '../kernel/invariant.ts';
import type { FaultPoints } from '../ports/fault-points.ts';
import { diskArtifacts } from '../store/artifacts/disk-artifacts.ts';
import { orBeside } from '../store/artifacts/or-beside.ts';
import { runtimeJudges } from '../verify/judge/judges.ts';
import { diskSigner } from '../verify/signer.ts';
import { attestingPlane } from './attesting-plane.ts';
import { judgeTrees } from './judge-trees.ts';
import { laneModelsDoor } from './models-door.ts';
import { type Opened, openStore } from './open-store.ts';
import { artifactDirectory, homesDirectory, keyDirectory, spoolDirectory } from './places.ts';
import { type Runtime, runtimeOver } from './runtime.ts';
import { serve } from './serve.ts';
import { surroundings } from './surroundings.ts';

/** `faults` is given by tests alone. The only argument is the execution. */
export async function laneHostProgram(entry: string, faults?: FaultPoints): Promise<void> {
  const around = surroundings(entry);
  await serve('lane-host', around, async (signal, log) => {
    const execution = process.argv[2];
    invariant(execution !== undefined, 'a lane host is told its execution');
    const runtime = runtimeOver(outliving(await openStore(around, faults)));
    try {
      const host = await wire(runtime, log, faults);
      const { how, detail } = await host.run(execution as ExecutionId, signal);
      log(`${execution} ${how}: ${detail}`);
    } finally {
      await runtime.close();
    }
  });
}

/** Its lane goes on when a later program migrates the store, and what it leaves has to stay. */
function outliving(opened: Opened): Opened {
  if (opened.around.database === null) return opened;
  const beside = diskArtifacts({ directory: artifactDirectory(opened.around) });
  return { ...opened, artifacts: orBeside(opened.artifacts, beside) };
}

async function wire(runtime: Runtime, log: (line: string) => void, faults?: FaultPoints) {
  const { around, engine, processes, clock, worker, ensureDriver } = runtime;
  const { artifacts, ids } = engine;
  return laneHost({
    plane: attestingPlane(runtime),
    workspace: await runtime.workspace(),
    checks: await runtime.checks(),
    processes,
    artifacts,
    clock,
    ids,
    worker,
    judges: runtimeJudges({
      artifacts,
      clock,
      signer: diskSigner({ directory: keyDirectory(around) }),
      trees: gitCheckTrees({ home: around.home, env: around.env }),
    }),
    judgeTree: judgeTrees({ home: around.home, env: around.env }),
    modelsDoor: laneModelsDoor(clock),
    adapter: adapterOf,
    terminalRunner: terminalRunner(join(around.programs, 'terminal-runner.js')),
    spoolDirectory: spoolDirectory(around),
    homesDirectory: homesDirectory(around),
    env: around.env,
    ensureDriver,
    log,
    ...(faults === undefined ? {} : { faults }),
  });
}
