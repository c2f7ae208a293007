/**
 * What the machine says about its processes, read from /proc (Linux) and, where there is none, from
 * `ps` for the identity of one process. Synchronous and quick: a whole pass over a hundred
 * processes takes two to five milliseconds. A process that goes away while it is read is simply not
 * there.
 */

import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { isLivingState } from '../kernel/process-state.ts';

export interface ProcessStat {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** `R`, `S`, `Z` (dead, not yet collected), … */
  readonly state: string;
  /** Clock ticks since boot; a reused pid has another. */
  readonly started: number;
  /** User and system time in clock ticks. */
  readonly cpuTicks: number;
}

export const hasProc = process.platform === 'linux';

/** Null when there is no such process. */
export function statOf(pid: number): ProcessStat | null {
  const text = read(`/proc/${pid}/stat`);
  if (text === null) return null;
  // The name stands in brackets and may hold anything, brackets and spaces included.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const at = (index: number) => Number(fields[index]);
  return {
    pid,
    state: fields[0] ?? '?',
    parent: at(1),
    group: at(2),
    session: at(3),
    cpuTicks: at(11) + at(12),
    started: at(19),
  };
}

/** Empty where there is no /proc: then nothing can be said, and nothing is proven by it. */
export function allProcesses(): readonly ProcessStat[] {
  if (!hasProc) return [];
  const found: ProcessStat[] = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = statOf(Number(name));
    if (stat !== null) found.push(stat);
  }
  return found;
}

/**
 * True for a process that runs or can run; one that is dead and only waits to be collected cannot.
 */
export function isLiving(stat: ProcessStat): boolean {
  return isLivingState(stat.state);
}

/** The same process as recorded: its pid was not given to another one in the meantime. */
export function livesStill(pid: number, started: number): boolean {
  const stat = statOf(pid);
  return stat !== null && stat.started === started && isLiving(stat);
}

/** Null when it may not be read, which a non-dumpable process of our own user refuses too. */
export function environOf(pid: number): string | null {
  return read(`/proc/${pid}/environ`);
}

/** Real user id. */
export function uidOf(pid: number): number | null {
  const line = /^Uid:\s+(\d+)/m.exec(read(`/proc/${pid}/status`) ?? '');
  return line === null ? null : Number(line[1]);
}

export function commandOf(pid: number): string {
  return (read(`/proc/${pid}/cmdline`) ?? '').replaceAll('\0', ' ').trim().slice(0, 200);
}

export function childrenOf(pid: number): readonly number[] {
  const text = read(`/proc/${pid}/task/${pid}/children`);
  // Kernels without CONFIG_PROC_CHILDREN have no such file.
  if (text === null) return allProcesses().flatMap((stat) => (stat.parent === pid ? stat.pid : []));
  return text.split(' ').flatMap((word) => (word.trim() === '' ? [] : Number(word)));
}

export function linkOf(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    // Gone, or not ours to read: both mean that nothing can be said.
    return null;
  }
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Gone, or not ours to read: both mean that nothing can be said.
    return null;
  }
}
