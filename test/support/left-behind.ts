/** What a test of lanes could leave behind: counted before and after it, and must be the same. */
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { processesOf } from './processes.ts';

/** A bench's folder begins with this; another run of the suite has folders of its own. */
export const benchPrefix = `pawl-agent-bench-${process.pid}-`;

export interface LeftBehind {
  /** With anything to do with a bench's folder. */
  readonly processes: readonly string[];
  /** On which this process listens. */
  readonly ports: readonly number[];
  readonly folders: readonly string[];
}

/** `root`: what all of it has to do with; absent: this process's benches. */
export function leftBehind(root = benchPrefix): LeftBehind {
  const isBench = root === benchPrefix;
  return {
    processes: processesOf(root).map(({ command }) => command),
    ports: listening(),
    folders: readdirSync(tmpdir()).filter((name) => !isBench || name.startsWith(benchPrefix)),
  };
}

const listens = '0A';

/** Of /proc/net/tcp: local address, state, and the inode of the socket; else nothing is counted. */
function listening(): readonly number[] {
  if (!existsSync('/proc/self/net/tcp')) return [];
  const own = new Set(readdirSync('/proc/self/fd').map(socketOf));
  return ['tcp', 'tcp6'].flatMap((table) => {
    const rows = existsSync(`/proc/self/net/${table}`)
      ? readFileSync(`/proc/self/net/${table}`, 'utf8').trim().split('\n').slice(1)
      : [];
    return rows.flatMap((row) => {
      const [, address = '', , state, , , , , , inode] = row.trim().split(/\s+/);
      const isOwn = state === listens && own.has(`socket:[${inode}]`);
      return isOwn ? [Number.parseInt(address.split(':')[1] ?? '', 16)] : [];
    });
  });
}

/** Empty for a descriptor that was closed while we looked. */
function socketOf(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch (error: unknown) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
