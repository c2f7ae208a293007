/** Which heads have a signed statement, in the memory store. */
import type { Digest, RunId } from '../../domain/ids.ts';
import type { KeptHead, StreamHead } from '../../ports/store.ts';
import { headName, restedRun, versionOfHead } from '../heads.ts';
import type { RunRecord, Tables } from './tables.ts';

export function unsignedHeads(tables: Tables, limit: number): readonly StreamHead[] {
  const rests = ({ status }: RunRecord): boolean => restedRun.some((one) => one === status);
  return [...tables.runs.values()]
    .filter((record) => rests(record) && !isSigned(tables, record))
    .slice(0, limit)
    .map(({ id, version, head }) => ({ run: id, version, hash: head }));
}

export const countUnsigned = (tables: Tables): number =>
  [...tables.runs.values()].filter((record) => !isSigned(tables, record)).length;

export function keepHead(
  tables: Tables,
  { run, version }: Omit<StreamHead, 'hash'>,
  statement: Digest,
): void {
  const name = nameOf(run, version);
  if (tables.runs.has(run) && !tables.references.has(name)) tables.references.set(name, statement);
}

export const keptHeads = (tables: Tables): readonly KeptHead[] =>
  [...tables.references].flatMap(([reference, statement]) => {
    const [run = '', name = ''] = reference.split('\n');
    const version = versionOfHead(name);
    const record = tables.runs.get(run as RunId);
    if (version === null || record === undefined) return [];
    const at = record.positions[version - 1];
    const hash = at === undefined ? null : (tables.events[at - 1]?.entry.hash ?? null);
    return [{ run: record.id, version, hash, statement }];
  });

const nameOf = (run: string, version: number): string => `${run}\n${headName(version)}`;

const isSigned = (tables: Tables, { id, version }: RunRecord): boolean =>
  tables.references.has(nameOf(id, version));
