/**
 * What the whole process table says about a tree that is not held by the kernel: who carries its
 * marker, who is an orphan that nothing explains, who has the work tree open. Reads only.
 */
import { readdirSync } from 'node:fs';
import { executionMarker } from '../ancestry.ts';
import {
  allProcesses,
  commandOf,
  environOf,
  isLiving,
  linkOf,
  type ProcessStat,
  statOf,
  uidOf,
} from '../process-table.ts';

/** Carried by pawl's own detached programs, so that a census does not take them for escapees. */
export const programMarker = 'PAWL_PROCESS';

/** Every living process, but this one, that carries the execution's marker. */
export function markedBy(execution: string): readonly ProcessStat[] {
  const entry = `${executionMarker}=${execution}`;
  return othersAlive().filter((stat) => carries(environOf(stat.pid), entry));
}

/** Every living process, but this one, that carries the marker of any execution. */
export function markedByAny(): readonly { readonly pid: number; readonly execution: string }[] {
  const prefix = `${executionMarker}=`;
  return othersAlive().flatMap(({ pid }) => {
    const entry = environOf(pid)
      ?.split('\0')
      .find((one) => one.startsWith(prefix));
    const execution = entry?.slice(prefix.length) ?? '';
    return execution === '' ? [] : [{ pid, execution }];
  });
}

export interface Census {
  /** Own-uid orphans younger than the tree that nothing explains. */
  readonly orphans: readonly number[];
  /** Own-uid processes younger than the tree whose environment may not be read. */
  readonly unreadable: readonly number[];
}

/** A process older than the tree cannot belong to it; another user's neither. */
export function census(startedTicks: number, uid: number): Census {
  const orphans: number[] = [];
  const unreadable: number[] = [];
  const table = othersAlive();
  const adopters = adoptersIn(table);
  for (const stat of table) {
    if (stat.started < startedTicks || uidOf(stat.pid) !== uid) continue;
    const environ = environOf(stat.pid);
    if (environ === null) {
      if (statOf(stat.pid)?.started === stat.started) unreadable.push(stat.pid);
    } else if (adopters.has(stat.parent) && !isExplained(environ)) orphans.push(stat.pid);
  }
  return { orphans, unreadable };
}

/** Processes that have the tree as working directory, program or open file, as `pid: what`. */
export function holdersOf(directory: string): readonly string[] {
  const found: string[] = [];
  for (const stat of othersAlive()) {
    const what = heldBy(stat.pid, directory);
    if (what !== null) found.push(`pid ${stat.pid} (${what}): ${commandOf(stat.pid)}`);
  }
  return found;
}

function heldBy(pid: number, directory: string): string | null {
  for (const name of ['cwd', 'exe']) {
    if (isInside(linkOf(`/proc/${pid}/${name}`), directory)) return name;
  }
  for (const fd of namesIn(`/proc/${pid}/fd`)) {
    if (isInside(linkOf(`/proc/${pid}/fd/${fd}`), directory)) return `fd ${fd}`;
  }
  return null;
}

function isInside(path: string | null, directory: string): boolean {
  return path !== null && (path === directory || path.startsWith(`${directory}/`));
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    // Gone, or another user's: nothing can be said, and other users are not ours to judge.
    return [];
  }
}

/** Those to whom orphans are given: pid 1 and a user's service manager. */
function adoptersIn(table: readonly ProcessStat[]): ReadonlySet<number> {
  const managers = table.filter(
    (stat) => stat.parent === 1 && /(^|\/)systemd --user/.test(commandOf(stat.pid)),
  );
  return new Set([1, ...managers.map((stat) => stat.pid)]);
}

function isExplained(environ: string): boolean {
  return environ.split('\0').some((entry) => /^PAWL_(EXECUTION|PROCESS)=/.test(entry));
}

function carries(environ: string | null, entry: string): boolean {
  return environ?.split('\0').includes(entry) ?? false;
}

function othersAlive(): readonly ProcessStat[] {
  return allProcesses().filter((stat) => stat.pid !== process.pid && isLiving(stat));
}
