/**
 * Whether a command failed because a disk is full. Its words alone are not believed, since a test
 * may well be about such words: the disk itself must be nearly full as well.
 */
import { statfsSync } from 'node:fs';
import { WorldError } from '../kernel/errors.ts';
import type { CommandRun } from './run-command.ts';

/** Nothing works with less than this. */
const bytesMin = 1024 * 1024;
/** What a command that says it had no space may have given back by the time it ended. */
const bytesIfSaid = 64 * bytesMin;

const said = /\bENOSPC\b|No space left on device|\bEDQUOT\b|Disk quota exceeded/;

/** @throws WorldError `disk_full` naming the folder whose disk has no space. */
export function refuseFull(
  run: Pick<CommandRun, 'command' | 'text'>,
  folders: readonly string[],
  freeBytes: (folder: string) => number | null = freeOf,
): void {
  const least = said.test(run.text) ? bytesIfSaid : bytesMin;
  for (const where of folders) {
    const free = freeBytes(where);
    if (free === null || free >= least) continue;
    const what = `no space left for ${where} while "${run.command.slice(0, 60)}" ran`;
    throw new WorldError('disk_full', what, { where, next: 'pawl doctor' });
  }
}

/** Null where nobody can tell. */
function freeOf(folder: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    // The folder went with the command, or the platform has no such call.
    return null;
  }
}
