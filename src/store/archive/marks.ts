/** What is left in the store of a run that was archived, and what goes (src/ports/store.ts). */
import type { RunId } from '../../domain/ids.ts';
import type { ArchivedStream } from '../../ports/store.ts';
import type { Query } from '../query.ts';
import {
  dropApprovals,
  dropCheckpoints,
  dropEvents,
  dropEvidence,
  dropExecutions,
  dropLeases,
  dropReferences,
  dropRun,
  dropTimers,
  dropToolCalls,
} from '../sql/archive.ts';

const prefix = 'archived:';

export const archiveReference = 'archive';
export const archiveKey = (run: string): string => `${prefix}${run}`;

type Mark = Omit<ArchivedStream, 'run'>;

export const archiveMark = ({ version, hash, archive, statement, at }: ArchivedStream): string =>
  JSON.stringify({ version, hash, archive, statement, at } satisfies Mark);

export function archivedStream(row: {
  readonly key: string;
  readonly value: string;
}): ArchivedStream {
  const { at = null, ...mark } = JSON.parse(row.value) as Omit<Mark, 'at'> & Partial<Mark>;
  const { version, hash, archive, statement } = mark;
  const run = row.key.slice(prefix.length) as RunId;
  return { run, version, hash, archive, statement, at };
}

/** In this order: what is found by another row goes before it. */
export const drops: readonly Query<[run: number]>[] = [
  ...[dropEvidence, dropLeases, dropToolCalls, dropCheckpoints, dropTimers, dropApprovals],
  ...[dropExecutions, dropEvents, dropReferences, dropRun],
];
