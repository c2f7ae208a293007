/** How far the references of each stream are listed, in the memory store. */
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
