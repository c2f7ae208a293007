import { readFileSync } from 'node:fs';
import { hasCode } from './git.ts';

/** One process, told apart from a later one that got the same pid. */
export interface Owner {
  readonly boot: string;
  readonly pid: number;
  /** Start time in clock ticks since boot; 0 where the system does not tell. */
  readonly started: number;
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error: unknown) {
    if (hasCode(error, 'ENOENT', 'ESRCH', 'EACCES')) return null;
    throw error;
  }
}

/** Field 22 of /proc/<pid>/stat, counted after the name, which may hold spaces and brackets. */
function startedOf(pid: number): number | null {
  const stat = read(`/proc/${pid}/stat`);
  if (stat === null) return null;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' ? null : Number(fields[19]);
}

const bootId = (): string => read('/proc/sys/kernel/random/boot_id')?.trim() ?? '';

export function self(): Owner {
  return { boot: bootId(), pid: process.pid, started: startedOf(process.pid) ?? 0 };
}

/**
 * False only when that very process is surely gone: another boot, no such pid, or another start.
 */
export function lives(owner: Owner): boolean {
  if (owner.boot !== bootId()) return false;
  if (owner.started !== 0) return startedOf(owner.pid) === owner.started;
  try {
    process.kill(owner.pid, 0);
    return true;
  } catch (error: unknown) {
    return !hasCode(error, 'ESRCH');
  }
}
