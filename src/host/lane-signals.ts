/**
 * What a lane without a protocol shows of its life: bytes that it printed, files that changed in
 * its work tree, CPU time of its processes. A projection for people and for later recovery; it ends
 * nothing (a silent tool that computes for an hour is at work, L-D7, L-D8). Ages are of the
 * monotonic clock.
 */
import { type Dirent, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../ports/clock.ts';
import { descendants } from './containment/seen-tree.ts';
import { allProcesses, hasProc } from './process-table.ts';

/** Without the models door a lane is quiet after 120 s and stalled after 600 s (DESIGN §7). */
const quietMs = 120_000;
const stalledMs = 600_000;
/** A look at the files of a huge tree is cut off: signals must stay cheap. */
const entriesMax = 5_000;
const skipped = new Set(['.git', 'node_modules', '.cache', 'dist', 'target', '__pycache__']);

export interface LaneSignals {
  printed(bytes: number): void;
  /** The work tree whose files are looked at. */
  watches(directory: string): void;
  /** The agent runs as this pid and below. */
  started(pid: number): void;
  completing(): void;
  /** JSON of at most 1 KB. */
  read(): string;
}

export function laneSignals(clock: Clock): LaneSignals {
  let workTree: string | null = null;
  let pid: number | null = null;
  let state: 'starting' | 'live' | 'completing' = 'starting';
  let since = clock.monotonicMs();
  let printed = 0;
  let lastOutput: number | null = null;
  let lastFile: number | null = null;
  let newestFile = 0;
  let cpuTicks = 0;
  let lastCpu: number | null = null;
  const look = () => {
    const now = clock.monotonicMs();
    const newest = workTree === null ? 0 : newestChange(workTree);
    if (newest > newestFile && newestFile > 0) lastFile = now;
    newestFile = Math.max(newest, newestFile);
    const ticks = pid === null ? 0 : cpuOf(pid);
    if (ticks > cpuTicks) lastCpu = now;
    cpuTicks = ticks;
  };
  return {
    printed(bytes) {
      printed += bytes;
      lastOutput = clock.monotonicMs();
    },
    watches(directory) {
      workTree = directory;
    },
    started(agent) {
      pid = agent;
      state = 'live';
      since = clock.monotonicMs();
      look();
    },
    completing() {
      if (state !== 'completing') since = clock.monotonicMs();
      state = 'completing';
    },
    read() {
      look();
      const now = clock.monotonicMs();
      const wall = (at: number | null) => (at === null ? null : Math.round(clock.now() - now + at));
      const last = Math.max(since, lastOutput ?? 0, lastFile ?? 0, lastCpu ?? 0);
      const living = state === 'live' ? stateAfter(now - last) : state;
      return JSON.stringify({
        state: living,
        since: wall(living === 'quiet' || living === 'stalled' ? last : since),
        lastOutputAt: wall(lastOutput),
        lastFileAt: wall(lastFile),
        lastCpuAt: wall(lastCpu),
        printedBytes: printed,
        cpuTicks,
      });
    },
  };
}

function stateAfter(silentMs: number): 'working_local' | 'quiet' | 'stalled' {
  if (silentMs < quietMs) return 'working_local';
  return silentMs < stalledMs ? 'quiet' : 'stalled';
}

function cpuOf(pid: number): number {
  if (!hasProc) return 0;
  return descendants(pid, allProcesses()).reduce((sum, stat) => sum + stat.cpuTicks, 0);
}

/** Newest mtime or ctime in the tree, breadth first and bounded. */
function newestChange(root: string): number {
  const queue = [root];
  let newest = 0;
  let looked = 0;
  for (let at = 0; at < queue.length && looked < entriesMax; at += 1) {
    const directory = queue[at] ?? root;
    for (const entry of entriesOf(directory)) {
      looked += 1;
      const path = join(directory, entry.name);
      newest = Math.max(newest, changedAt(path));
      if (entry.isDirectory() && !skipped.has(entry.name)) queue.push(path);
    }
  }
  return newest;
}

function entriesOf(directory: string): readonly Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    // The agent removed it while we looked: nothing changed there that still exists.
    return [];
  }
}

function changedAt(path: string): number {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? 0 : Math.max(found.mtimeMs, found.ctimeMs);
}
