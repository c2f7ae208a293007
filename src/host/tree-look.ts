/**
 * What /proc says of a lane's processes, for liveness. Reading is thin, parsing is pure; nothing is
 * decided here.
 */
import { readFileSync } from 'node:fs';
import type { ProcessLook, TreeLook } from '../domain/liveness/evidence.ts';
import type { ContainmentRecord } from '../ports/processes.ts';
import { kill } from './containment/killing.ts';
import { descendants } from './containment/seen-tree.ts';
import { allProcesses, hasProc, isLiving, type ProcessStat } from './process-table.ts';

/** A tree that forks without end must not make a look expensive. */
const processesMax = 512;

/** A lane's processes: below `root`, without those that only contain it. */
export interface LaneRoot {
  readonly pid: number;
  /** Our own programs around it: they wait, whatever the lane does. */
  readonly wrappers: readonly number[];
  /** Below them is one more: it copies what the lane paints on its terminal. */
  readonly hasTerminal?: boolean;
}

type Contained = Pick<ContainmentRecord, 'pid' | 'init' | 'guardRecord'>;

export function laneRootOf({ pid, init, guardRecord }: Contained, hasTerminal = false): LaneRoot {
  if (init !== null) return { pid, wrappers: [pid, init.pid], hasTerminal };
  return { pid, wrappers: guardRecord === null ? [] : [pid], hasTerminal };
}

/** Null where there is no /proc: then nothing can be said. */
export function lookAtTree(root: LaneRoot): TreeLook | null {
  if (!hasProc) return null;
  return treeOf(root, allProcesses(), writtenBy);
}

/** Whoever stopped them, they go on; answers how many there were. */
export function wakeTree(root: LaneRoot): number {
  const stopped = lookAtTree(root)?.processes.filter(({ state }) => /^t$/i.test(state)) ?? [];
  for (const { id } of stopped) kill(Number(id.split(':', 1)[0]), 'SIGCONT');
  return stopped.length;
}

/** Pure but for `written`, which is asked for members of the tree alone. */
export function treeOf(
  { pid: root, wrappers, hasTerminal = false }: LaneRoot,
  table: readonly ProcessStat[],
  written: (pid: number) => number | null,
): TreeLook {
  const rootStat = table.find(({ pid }) => pid === root);
  const below = descendants(root, table).filter(({ pid }) => !wrappers.includes(pid));
  // Started first, before the program could start anything.
  const first = hasTerminal ? below.toSorted((a, b) => a.started - b.started)[0] : undefined;
  const members = below.filter(({ pid }) => pid !== first?.pid);
  return {
    isRootAlive: rootStat !== undefined && isLiving(rootStat),
    processes: members.slice(0, processesMax).map(
      ({ pid, started, state, cpuTicks }): ProcessLook => ({
        id: `${pid}:${started}`,
        state,
        cpuTicks,
        written: written(pid),
      }),
    ),
  };
}

/** Pure. Of the lines of `/proc/<pid>/io`; null when it is not said. */
export function writtenOf(text: string): number | null {
  const found = /^wchar: (\d+)$/m.exec(text);
  return found === null ? null : Number(found[1]);
}

function writtenBy(pid: number): number | null {
  try {
    return writtenOf(readFileSync(`/proc/${pid}/io`, 'utf8'));
  } catch {
    // Gone, or not ours to read: both mean that nothing can be said.
    return null;
  }
}
