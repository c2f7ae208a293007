/** What streams refer to in the memory store, and how far that is listed. */
import type { Digest, RunId } from '../../domain/ids.ts';
import type { Referred } from '../../ports/artifacts.ts';
import type { Rows, UnlistedStream } from '../../ports/store.ts';
import type { Tables } from './tables.ts';

export function unlisted(tables: Tables, after: number, limit: number): readonly UnlistedStream[] {
  return [...tables.runs.values()]
    .filter(({ id, seq, version }) => seq > after && tables.listed.get(id) !== version)
    .slice(0, limit)
    .map(({ id, seq, version }) => ({ seq, run: id, version }));
}

export function keepListed(
  tables: Tables,
  { run, version }: Pick<UnlistedStream, 'run' | 'version'>,
  references: Rows['references'],
): void {
  if (!tables.runs.has(run)) return;
  for (const { name, digest } of references) {
    const key = `${run}\n${name}`;
    if (!tables.references.has(key)) tables.references.set(key, digest);
  }
  tables.listed.set(run, version);
}

export function referred(tables: Tables, after: Digest | null, limit: number): readonly Referred[] {
  const found = new Map<Digest, Referred>();
  for (const [key, digest] of tables.references) {
    const [run = '', name = ''] = key.split('\n');
    if (after === null || digest > after) found.set(digest, { digest, run: run as RunId, name });
  }
  return [...found.values()].sort((a, b) => (a.digest < b.digest ? -1 : 1)).slice(0, limit);
}
