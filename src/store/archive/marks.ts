/** What is left in the store of a run that was archived, and what goes (src/ports/store.ts). */
import type { Digest, RunId } from '../../domain/ids.ts';
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

export const archiveMark = ({ version, hash, archive, statement }: ArchivedStream): string =>
  JSON.stringify({ version, hash, archive, statement } satisfies Mark);

export function archivedStream(row: { readonly key: string; readonly value: string }) {
  const { version, hash, archive, statement } = JSON.parse(row.value) as Mark;
  const run = row.key.slice(prefix.length) as RunId;
  return { run, version, hash, archive: archive as Digest, statement } satisfies ArchivedStream;
}

/** In this order: what is found by another row goes before it. */
export const drops: readonly Query<[run: number]>[] = [
  ...[dropEvidence, dropLeases, dropToolCalls, dropCheckpoints, dropTimers, dropApprovals],
  ...[dropExecutions, dropEvents, dropReferences, dropRun],
];
