/** What a lane printed, as an artifact: its spool may lie on another machine, and goes. */
import type { JobResult } from '../domain/execution/state.ts';
import type { Digest } from '../domain/ids.ts';
import { readJournal } from './journal.ts';
import { type LaneWork, told } from './lane-work.ts';
import { withRoom } from './room.ts';

/** A journal larger than this is kept as head and tail. */
export const journalBytesMax = 8 * 1024 * 1024;

/** Of a turn that ended: it names its journal. */
export async function journalOf(work: LaneWork): Promise<Digest> {
  const text = await textOf(work);
  return withRoom(work, () => work.options.artifacts.put(text, 'journal'));
}

/** Of any other end. That it cannot be kept makes no other result of it. */
export async function withJournal(work: LaneWork, result: JobResult): Promise<JobResult> {
  const isNamed = result.kind === 'prepared' || result.kind === 'executed';
  if (isNamed || work.journal.lastSeq === 0) return result;
  try {
    const journal = await work.options.artifacts.put(await textOf(work), 'journal');
    return { ...result, journal };
  } catch (error: unknown) {
    work.options.log?.(`journal: ${told(error)}`);
    return result;
  }
}

async function textOf({ journal, spool }: LaneWork): Promise<string> {
  journal.sync();
  return readJournal(spool.journal, journalBytesMax);
}
