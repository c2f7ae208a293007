import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { SpoolReader } from '../engine/logs.ts';
import { readJournal } from '../host/journal.ts';
import { spoolPath } from '../host/spool.ts';
import { spoolDirectory } from './places.ts';
import type { Surroundings } from './surroundings.ts';

/** How much of a living journal is shown at once; head and tail are kept beyond it. */
const journalBytesMax = 32 * 1024 * 1024;

/** Reads the journal of an execution whose spool lies on this machine. */
export function spoolReader(around: Surroundings): SpoolReader {
  return async (execution) => {
    const directory = join(spoolPath(spoolDirectory(around), execution), 'journal');
    return existsSync(directory) ? await readJournal(directory, journalBytesMax) : null;
  };
}
