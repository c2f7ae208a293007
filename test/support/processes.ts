/**
 * Which processes belong to a test, found by `/proc`; each is ended by its own pid and no other
 * way.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

export interface FoundProcess {
  readonly pid: number;
  /** Start time in ticks since boot: with the pid it names one process for ever. */
  readonly startedAt: string;
  readonly command: string;
}

/** Living processes with `root` in their environment, arguments or working directory. */
export function processesOf(root: string): readonly FoundProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((name) => {
      const found = look(name);
      if (found === null) return [];
      return found.places.some((place) => place.includes(root)) ? [found] : [];
    });
}

function look(pid: string): (FoundProcess & { readonly places: readonly string[] }) | null {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // A zombie has ended; only its parent has not looked yet.
  if (stat === '' || fields[0] === 'Z') return null;
  const command = attempt(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ');
  const environment = attempt(() => readFileSync(`/proc/${pid}/environ`, 'utf8'));
  const directory = attempt(() => readlinkSync(`/proc/${pid}/cwd`));
  const places = [command, environment, directory];
  return { pid: Number(pid), startedAt: fields[19] ?? '', command: command.trim(), places };
}

const goneCodes = ['ENOENT', 'ESRCH', 'EACCES', 'EPERM'];

/** Empty for a process that ends while we look, or that is another user's. */
function attempt(read: () => string): string {
  try {
    return read();
  } catch (error: unknown) {
    if (error instanceof Error && 'code' in error && goneCodes.includes(String(error.code))) {
      return '';
    }
    throw error;
  }
}

export function isAlive(found: FoundProcess): boolean {
  return look(String(found.pid))?.startedAt === found.startedAt;
}

/** To that process and no later one of its pid; nothing happens when it has ended by now. */
export function signal(found: FoundProcess, name: NodeJS.Signals): void {
  if (isAlive(found)) attempt(() => String(process.kill(found.pid, name)));
}

/** SIGTERM, then SIGKILL after 5 s; returns when it is gone. */
export async function endProcess(found: FoundProcess): Promise<void> {
  for (const name of ['SIGTERM', 'SIGKILL'] as const) {
    if (!isAlive(found)) return;
    signal(found, name);
    await until(() => !isAlive(found), 5_000);
  }
}

/**
 * Looks again and again, at most until the time is over; what it waits for is a fact, not a span.
 */
export async function until(isTrue: () => boolean, timeoutMs: number): Promise<boolean> {
  const end = performance.now() + timeoutMs;
  while (!isTrue()) {
    if (performance.now() > end) return false;
    await wait(20);
  }
  return true;
}
