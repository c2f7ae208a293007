/**
 * Who a process is, in a way that a reused pid or a reboot cannot fake: boot id, pid, start time
 * (L-K5). Without /proc, `ps` tells the start in seconds and the boot is told by `sysctl`.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import type { Holder } from '../domain/execution/state.ts';
import { isStoppedState } from '../kernel/process-state.ts';
import { hasProc, isLiving, statOf } from './process-table.ts';

/** The killer and the asker of the machine are themselves held to a deadline (L-J2). */
const askMsMax = 5_000;

let knownBoot: string | null = null;

export function bootId(): string {
  knownBoot ??= hasProc
    ? readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    : bootWithoutProc();
  return knownBoot;
}

function bootWithoutProc(): string {
  const said = ask('sysctl', ['-n', 'kern.boottime']);
  // Without sysctl the boot's own minute must do; two boots within one minute look the same.
  const boot = said ?? `minute ${Math.round((Date.now() / 1000 - uptime()) / 60)}`;
  return createHash('sha256').update(boot).digest('hex').slice(0, 32);
}

/** Start time of a process in its platform's unit; null when it does not live. */
export function startOf(pid: number): number | null {
  if (hasProc) {
    const stat = statOf(pid);
    return stat !== null && isLiving(stat) ? stat.started : null;
  }
  const said = ask('ps', ['-o', 'lstart=', '-p', String(pid)]);
  return said === null || said === '' ? null : Math.floor(Date.parse(said) / 1000);
}

export function selfHolder(worker: string): Holder {
  return { worker, bootId: bootId(), pid: process.pid, started: startOf(process.pid) ?? 0 };
}

export function holderLives(holder: Pick<Holder, 'bootId' | 'pid' | 'started'>): boolean {
  return holder.bootId === bootId() && startOf(holder.pid) === holder.started;
}

/**
 * Whether it lives and the machine runs it no more: it was stopped by a signal (SIGSTOP, Ctrl-Z).
 * False where that cannot be told.
 */
export function holderStopped(holder: Pick<Holder, 'bootId' | 'pid' | 'started'>): boolean {
  if (!hasProc || holder.bootId !== bootId()) return false;
  const stat = statOf(holder.pid);
  return stat !== null && stat.started === holder.started && isStoppedState(stat.state);
}

function ask(program: string, args: readonly string[]): string | null {
  try {
    return execFileSync(program, args, {
      encoding: 'utf8',
      timeout: askMsMax,
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C' },
    }).trim();
  } catch {
    // `ps` exits 1 for a pid that is not there; a missing tool says as little.
    return null;
  }
}
