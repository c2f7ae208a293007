/** Steps of a store's format, the same rules for every database. */
import { hash } from 'node:crypto';
import type { MigrationReport, MigrationState } from '../ports/store-admin.ts';

/** Raises the format by one. */
export interface Migration {
  readonly name: string;
  readonly sql: string;
}

const prefix = 'migration:';

/** Under which `meta` keeps the digest of what was applied. */
export const migrationKey = (name: string): string => `${prefix}${name}`;

export const migrationDigest = ({ sql }: Migration): string => hash('sha256', sql, 'hex');

/** `recorded` maps the keys of `meta` to digests. */
export function migrationStates(
  steps: readonly Migration[],
  format: number,
  recorded: ReadonlyMap<string, string>,
): readonly MigrationState[] {
  return steps.map((step, index) => {
    const { name } = step;
    if (index >= format) return { name, state: 'pending' };
    const isSame = recorded.get(migrationKey(name)) === migrationDigest(step);
    return { name, state: isSame ? 'applied' : 'altered' };
  });
}

/** What was done to a store of that format; null: there was none. */
export const migrationReport = (
  steps: readonly Migration[],
  from: number | null,
): MigrationReport => ({
  from,
  to: steps.length,
  applied: steps.slice(from ?? 0).map(({ name }) => name),
});
