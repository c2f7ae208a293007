/**
 * The {@link Lanes} of this machine: starts hosts as detached programs, looks at those it did not
 * start, ends what dead or silent ones left, and removes spools that nobody needs any more.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Holder } from '../domain/execution/state.ts';
import type { ExecutionId } from '../domain/ids.ts';
import type { Clock } from '../ports/clock.ts';
import type { LaneSighting, Lanes } from '../ports/lanes.ts';
import type { ContainmentRecord, Processes, Proof } from '../ports/processes.ts';
import type { ExecutionRow, OpenExecution } from '../ports/store.ts';
import { beatWatch, lookAt, sealIn } from './adoption.ts';
import { kill } from './containment/killing.ts';
import { endUnstarted } from './containment/marker-ending.ts';
import { until } from './containment/waiting.ts';
import { bootId, startOf } from './identity.ts';
import { weakest } from './proof-of-all.ts';
import { isFull } from './room.ts';
import { namesIn, ownerOf, readFact, recordsIn, type SpoolTree, spoolPath } from './spool.ts';

export interface LocalLanesOptions {
  readonly processes: Processes;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** Folder of all spools. */
  readonly spoolDirectory: string;
  /** Folder of the agents' homes, one a run. */
  readonly homesDirectory: string;
  /** Folder of the containment records of checks: `<execution>-…/containment-<pid>.json`. */
  readonly checkRecords: string;
  /** Name of this machine in holders. */
  readonly worker: string;
  /** Other machines have executions in the same store; their processes cannot be seen here. */
  readonly isShared?: boolean;
  /** Spawn our own programs, detached; answer with the pid. */
  readonly startLaneHost: (execution: ExecutionRow) => Promise<number>;
  readonly startCheckHost: () => Promise<number>;
  /** Keeps what a tree holds and no branch does, under the ref of that execution. */
  readonly keep?: (tree: SpoolTree, execution: ExecutionId) => Promise<unknown>;
}

/** A killed process leaves within milliseconds, unless the kernel holds it. */
const hostEndMsMax = 5_000;

export function localLanes(options: LocalLanesOptions): Lanes {
  const { processes, spoolDirectory, worker } = options;
  const stillForMs = beatWatch(() => options.clock.monotonicMs());
  /** One that was just started has not taken its seat yet. */
  let startedCheckHost: Holder | null = null;
  return {
    async start(execution) {
      await options.startLaneHost(execution);
    },
    async ensureCheckHost(holder, isSilent) {
      if (isSilent && holder !== null) await endHost(holder, processes);
      const known = [holder, startedCheckHost].filter((one) => one !== null);
      if (known.some((one) => processes.lives(one))) return;
      startedCheckHost = holderOf(await options.startCheckHost(), worker);
    },
    async look(open) {
      const spool = spoolPath(spoolDirectory, open.id);
      const isShared = options.isShared ?? false;
      const seen = lookAt(open, { spool, worker, isShared, lives: processes.lives, stillForMs });
      return seen.state === 'dead' ? diedOf(seen, spoolDirectory) : seen;
    },
    async sealLeft(execution) {
      const spool = spoolPath(spoolDirectory, execution);
      const owner = ownerOf(spool);
      return owner === null || processes.lives(owner) ? null : sealIn(spool, execution);
    },
    end: (open) => endOpen(open, options),
    async keepLeft(executions) {
      for (const execution of [...executions].reverse()) {
        const tree = readFact<SpoolTree>(spoolPath(spoolDirectory, execution), 'tree');
        if (tree === null) continue;
        await options.keep?.(tree, execution);
        return;
      }
    },
    async forget(executions) {
      const kept = executions.filter((execution) => !forgetSpool(execution, options)).map(runOf);
      for (const run of new Set(executions.map(runOf))) {
        // Links in a home lead to what is the user's; they go, and what they lead to stays.
        if (!kept.includes(run)) {
          rmSync(join(options.homesDirectory, run), { recursive: true, force: true });
        }
      }
    },
  };
}

type Dead = Extract<LaneSighting, { readonly state: 'dead' }>;

/** A host that could not write can say nothing; that there is no space is then what is known. */
function diedOf(dead: Dead, directory: string): Dead {
  if (!isFull(directory)) return dead;
  return { ...dead, class: 'disk_full', detail: `${dead.detail}; no space left for ${directory}` };
}

function holderOf(pid: number, worker: string): Holder | null {
  const started = startOf(pid);
  return started === null ? null : { worker, bootId: bootId(), pid, started };
}

/**
 * A holder that still lives is ended with all that it holds: a check host's other executions are
 * then found dead and run again, which costs time and nothing else.
 */
type Ending = Pick<OpenExecution, 'id' | 'lease'>;

/** Whether it is gone. */
async function endHost(holder: Holder, processes: Pick<Processes, 'lives'>): Promise<boolean> {
  if (!processes.lives(holder)) return true;
  kill(holder.pid);
  return until(() => !processes.lives(holder), hostEndMsMax);
}

async function endOpen(open: Ending, options: LocalLanesOptions): Promise<Proof> {
  const spool = spoolPath(options.spoolDirectory, open.id);
  const holder = open.lease?.holder ?? ownerOf(spool);
  if (options.isShared === true && holder !== null && holder.worker !== options.worker) {
    const gaps = [`the host is on ${holder.worker}, where nobody looked`];
    return { strength: 'unproven', rung: 'lease', gaps };
  }
  if (holder !== null && holder.bootId !== bootId()) {
    return { strength: 'kernel', rung: 'boot', gaps: [] };
  }
  if (holder !== null && !(await endHost(holder, options.processes))) {
    const gaps = [`the host, pid ${holder.pid}, cannot be ended`];
    return { strength: 'unproven', rung: 'none', gaps };
  }
  const records = recordsOf(open, options);
  const tree = readFact<SpoolTree>(spool, 'tree');
  const scanned = tree?.isolation === 'worktree' ? tree.directory : null;
  const proofs: Proof[] = records.length === 0 ? [await endUnstarted(open.id)] : [];
  for (const record of records) proofs.push(await options.processes.endRecorded(record, scanned));
  return weakest(proofs);
}

function recordsOf(open: Ending, options: LocalLanesOptions): readonly ContainmentRecord[] {
  const own = recordsIn(spoolPath(options.spoolDirectory, open.id));
  const checks = namesIn(options.checkRecords)
    .filter((name) => name.startsWith(`${open.id}-`))
    .flatMap((name) => recordsIn(join(options.checkRecords, name)));
  return [...own, ...checks];
}

/** As `spoolPath` has checked it. */
const runOf = (execution: ExecutionId): string => execution.slice(0, execution.indexOf('.'));

/** Never the spool of a living host: false. `rm` of a path that was checked to be a spool's. */
function forgetSpool(execution: ExecutionId, options: LocalLanesOptions): boolean {
  const spool = spoolPath(options.spoolDirectory, execution);
  const owner = ownerOf(spool);
  if (owner !== null && options.processes.lives(owner)) return false;
  rmSync(spool, { recursive: true, force: true });
  return true;
}
