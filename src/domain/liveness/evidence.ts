/**
 * What the processes of a lane prove. CPU and output of the agent program itself say nothing (it
 * repaints); those of the tools it started do. A tool's process is one that was not there when the
 * first model request was made. Where no such moment is known, only much CPU of the whole tree
 * says something, and its output nothing: a hung agent writes 500 bytes a second to itself.
 *
 * Invariants:
 *   E1. Only what grew between two looks counts; what a process had when it was first met by the
 *       first look does not.
 *   E2. A few ticks are not work: a sleeping tool has some, too.
 *   E3. Frozen means every process that is not a zombie, and at least one.
 */
import { isLivingState, isStoppedState } from '../../kernel/process-state.ts';
import type { LivenessFigures } from './figures.ts';

export interface ProcessLook {
  /** Pid and start time: a reused pid has another one. */
  readonly id: string;
  /** The kernel's letter: `R`, `S`, `D`, `T` (stopped), `Z` (dead, not yet collected), … */
  readonly state: string;
  readonly cpuTicks: number;
  /** Bytes that it wrote to anything; null where that may not be read. */
  readonly written: number | null;
}

export interface TreeLook {
  /** The program itself: there, with its start time, and not a zombie. */
  readonly isRootAlive: boolean;
  readonly processes: readonly ProcessLook[];
}

export interface Evidence {
  /** Null until the first look. */
  readonly look: TreeLook | null;
  /** Processes of the program itself; null: not known. */
  readonly baseline: ReadonlySet<string> | null;
  readonly firstSeenMs: ReadonlyMap<string, number>;
  /** CPU of the tools' processes between looks, within the window. */
  readonly cpu: readonly { readonly atMs: number; readonly ticks: number }[];
  readonly lastCpuMs: number | null;
  readonly lastOutputMs: number | null;
  readonly frozenSinceMs: number | null;
}

/** More looks than this within the window of CPU are not told apart. */
const looksMax = 64;

export const noEvidence: Evidence = {
  look: null,
  baseline: null,
  firstSeenMs: new Map(),
  cpu: [],
  lastCpuMs: null,
  lastOutputMs: null,
  frozenSinceMs: null,
};

export function looked(
  before: Evidence,
  look: TreeLook,
  nowMs: number,
  figures: LivenessFigures,
): Evidence {
  const grown = growth(before, look);
  const recent = before.cpu.filter(({ atMs }) => nowMs - atMs < figures.cpuWindowMs);
  const cpu = [...recent, { atMs: nowMs, ticks: grown.ticks }].slice(-looksMax);
  const isTold = before.baseline !== null;
  const ticksMin = isTold ? figures.cpuTicksMin : figures.treeCpuTicksMin;
  const isComputing = cpu.reduce((sum, { ticks }) => sum + ticks, 0) >= ticksMin;
  return {
    look,
    baseline: before.baseline,
    firstSeenMs: new Map(
      look.processes.map(({ id }) => [id, before.firstSeenMs.get(id) ?? nowMs] as const),
    ),
    cpu,
    lastCpuMs: isComputing ? nowMs : before.lastCpuMs,
    lastOutputMs: isTold && grown.written > 0 ? nowMs : before.lastOutputMs,
    frozenSinceMs: isFrozen(look) ? (before.frozenSinceMs ?? nowMs) : null,
  };
}

/** The processes of this moment are the program's own; what comes later is a tool's. */
export function withBaseline(evidence: Evidence): Evidence {
  const ids = evidence.look?.processes.map(({ id }) => id) ?? [];
  return { ...evidence, baseline: new Set(ids) };
}

/** When the oldest process of a tool was first seen, once it is old enough; null: there is none. */
export function toolChildSince(
  { baseline, firstSeenMs }: Evidence,
  nowMs: number,
  { toolChildAgeMs }: LivenessFigures,
): number | null {
  if (baseline === null) return null;
  const since = [...firstSeenMs].flatMap(([id, atMs]) => (baseline.has(id) ? [] : [atMs]));
  const oldest = Math.min(...since);
  return nowMs - oldest > toolChildAgeMs ? oldest : null;
}

function growth({ look: before, baseline }: Evidence, look: TreeLook) {
  if (before === null) return { ticks: 0, written: 0 };
  const known = new Map(before.processes.map((seen) => [seen.id, seen]));
  const tools = look.processes.filter(({ id }) => baseline === null || !baseline.has(id));
  const sum = (of: (seen: ProcessLook) => number) =>
    tools.reduce((total, seen) => {
      const last = known.get(seen.id);
      return total + Math.max(0, of(seen) - (last === undefined ? 0 : of(last)));
    }, 0);
  return { ticks: sum(({ cpuTicks }) => cpuTicks), written: sum(({ written }) => written ?? 0) };
}

function isFrozen({ processes }: TreeLook): boolean {
  const living = processes.filter(({ state }) => isLivingState(state));
  return living.length > 0 && living.every(({ state }) => isStoppedState(state));
}
