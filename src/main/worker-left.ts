/** What the home of a worker keeps of runs, and how it goes; see {@link LeftBehind}. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { runId } from '../contract/plane-words.ts';
import type { ExecutionId, RunId } from '../domain/ids.ts';
import { runOf } from '../engine/run-of.ts';
import { pruneMirrors } from '../git/prune-mirrors.ts';
import { allRecords, recordPath, type TreeRecord } from '../git/records.ts';
import { gitWorkspace } from '../git/workspace.ts';
import { nodeClock } from '../host/clock.ts';
import { namesIn, ownerOf, spoolPath } from '../host/spool.ts';
import type { WorkerHosts } from '../worker/daemon.ts';
import type { LeftBehind } from '../worker/pruning.ts';
import { judgeHome } from './judge-trees.ts';
import { homesDirectory, spoolDirectory } from './places.ts';
import type { Surroundings } from './surroundings.ts';
import { claimsOf, lanesHere, processesHere } from './worker-parts.ts';

interface Means {
  readonly around: Surroundings;
  readonly worker: string;
  readonly hosts: Pick<WorkerHosts, 'living'>;
}

export function leftHere(means: Means): LeftBehind {
  const { around } = means;
  const claims = claimsOf(around);
  return {
    quietRuns: async (forMs) => {
      const touched = new Map<RunId, number>();
      for (const [run, path] of await tracesOf(around)) {
        const ms = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
        touched.set(run, Math.max(ms, touched.get(run) ?? 0));
      }
      const used = runsInUse(means);
      const before = nodeClock().now() - forMs;
      return [...touched.keys()].filter(
        (run) => !used.has(run) && (touched.get(run) ?? before) <= before,
      );
    },
    remove: async (run) => {
      if (runsInUse(means).has(run)) return false;
      if (!(await removeTrees(around, run))) return false;
      const spools = spoolsOf(around).filter((execution) => runOf(execution) === run);
      // By the first, which was there: the home of the run goes with its spools.
      const executions = [...new Set([...spools, `${run}.1` as ExecutionId])];
      await lanesHere(around, means.worker).forget(executions);
      return true;
    },
    removeUnused: (forMs) => {
      const roots = () => claims.all().map((execution) => claims.read(execution)?.root);
      return pruneMirrors(around.home, {
        forMs,
        isUsed: (root) => roots().includes(root),
        checkHomes: [judgeHome(around.home)],
      });
    },
  };
}

const spoolsOf = (around: Surroundings): readonly ExecutionId[] =>
  namesIn(spoolDirectory(around)).filter((name): name is ExecutionId =>
    /^[a-z0-9]+\.\d+$/.test(name),
  );

/** Each run with a path whose date moves with its work. */
async function tracesOf(around: Surroundings): Promise<readonly (readonly [RunId, string])[]> {
  const records = await allRecords(around.home);
  const homes = homesDirectory(around);
  return [
    ...records.map(({ run, directory }) => [run, recordPath(directory)] as const),
    ...spoolsOf(around).map((id) => [runOf(id), spoolPath(spoolDirectory(around), id)] as const),
    ...namesIn(homes).map((run) => [run as RunId, join(homes, run)] as const),
    // A name that can be no run's makes the whole question one that is not of the contract.
  ].filter(([run]) => runId.safeParse(run).success);
}

/** A host lives, or its last word is not said: whatever became of the run, nothing of it goes. */
function runsInUse({ around, hosts }: Means): ReadonlySet<RunId> {
  const { lives } = processesHere(around);
  const held = spoolsOf(around).filter((execution) => {
    const owner = ownerOf(spoolPath(spoolDirectory(around), execution));
    return owner !== null && lives(owner);
  });
  return new Set([...hosts.living(), ...claimsOf(around).all(), ...held].map(runOf));
}

/** As `pawl prune` does: unrecorded work goes to a ref of the mirror first. False: not all went. */
async function removeTrees(around: Surroundings, run: RunId): Promise<boolean> {
  const workspace = gitWorkspace({ home: around.home, env: around.env, isolated: true });
  const own = async () => (await allRecords(around.home)).filter((record) => record.run === run);
  for (const root of new Set((await own()).map((record) => record.root))) {
    const subjects = (await own()).map(subjectOf);
    for (const item of await workspace.prunable(root, subjects)) {
      if (item.run === run) await workspace.prune(item);
    }
  }
  return (await own()).length === 0;
}

const subjectOf = ({ run, name, short }: TreeRecord) => ({
  ...{ run, name, short },
  ...{ ended: true, landed: false, endedAt: null },
});
