/** Ended runs that leave the memory store, and what is left of them. */
import type { Instant, RunId } from '../../domain/ids.ts';
import type { ArchivedStream, EndedRun, RawEvent } from '../../ports/store.ts';
import { archiveReference } from '../archive/marks.ts';
import { endedExecution, endedRun } from '../bounds.ts';
import { prefixRange } from '../run-filter.ts';
import { loadAggregate, type Tables } from './tables.ts';

export function endedRuns(
  tables: Tables,
  after: number,
  before: Instant,
  limit: number,
): readonly EndedRun[] {
  const newest = tables.events.at(-1)?.run;
  const isOpen = (run: RunId): boolean =>
    [...tables.executions.values()].some(
      ({ row }) => row.run === run && !endedExecution.includes(row.status),
    );
  return [...tables.runs.values()]
    .filter(
      ({ seq, status, updatedAt }) =>
        seq > after && endedRun.includes(status) && updatedAt < before,
    )
    .filter(({ id }) => id !== newest && !isOpen(id))
    .slice(0, limit)
    .map(({ seq, id, version, head }) => ({
      ...{ seq, run: id, version, hash: head },
      aggregate: loadAggregate(tables, id),
    }));
}

export function chain(
  tables: Tables,
  run: RunId,
  after: number,
  limit: number,
): readonly RawEvent[] {
  const positions = (tables.runs.get(run)?.positions ?? []).slice(after, after + limit);
  return positions.flatMap((at) => tables.events[at - 1]?.entry ?? []);
}

export function archive(tables: Tables, stream: ArchivedStream): boolean {
  const { run, version, hash } = stream;
  const record = tables.runs.get(run);
  const isThere = record?.version === version && record.head === hash;
  if (record === undefined || !isThere || !endedRun.includes(record.status)) return false;
  // Their places stay: positions are never given again.
  for (const at of record.positions) blank(tables, at);
  dropRows(tables, run);
  tables.references.set(`${run}\n${archiveReference}`, stream.archive);
  tables.archived.set(run, stream);
  return true;
}

export function archivedRuns(
  { archived }: Tables,
  prefix: string,
  limit: number,
): readonly ArchivedStream[] {
  const { from, to } = prefixRange(prefix);
  return [...archived.values()]
    .filter(({ run }) => run >= from && run < to)
    .sort((a, b) => (a.run < b.run ? -1 : 1))
    .slice(0, limit);
}

function blank(tables: Tables, at: number): void {
  const event = tables.events[at - 1];
  if (event === undefined) return;
  tables.events[at - 1] = { ...event, entry: { ...event.entry, data: null, salt: null } };
}

function dropRows(tables: Tables, run: RunId): void {
  const { executions, evidence, approvals, timers, references } = tables;
  for (const [id, { row }] of [...executions].filter(([, one]) => one.row.run === run)) {
    executions.delete(id);
    evidence.delete(row.id);
  }
  for (const [id] of [...approvals].filter(([, { row }]) => row.run === run)) approvals.delete(id);
  for (const [key] of [...timers].filter(([, timer]) => timer.run === run)) timers.delete(key);
  const mine = [...references.keys()].filter((name) => name.startsWith(`${run}\n`));
  const stays = ['receipt.', 'escalation.'].map((kind) => `${run}\n${kind}`);
  const gone = mine.filter((name) => !stays.some((kind) => name.startsWith(kind)));
  for (const name of gone) references.delete(name);
  tables.listed.delete(run);
  tables.runs.delete(run);
}
