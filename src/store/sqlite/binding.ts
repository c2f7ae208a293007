/**
 * Which SQLite is used: Node's own where it can be imported, else the prebuilt package with the
 * same interface. Decided by trying, not by version: some builds of Node leave theirs out.
 */
import { invariant } from '../../kernel/invariant.ts';
import type { SqlValue } from '../query.ts';

/** The part of the two bindings that is used; both fit it. */
export interface BoundDatabase {
  exec(sql: string): void;
  prepare(sql: string): BoundStatement;
  close(): void;
}

export interface BoundStatement {
  run(...values: readonly SqlValue[]): { readonly changes: number | bigint };
  get(...values: readonly SqlValue[]): unknown;
  all(...values: readonly SqlValue[]): readonly unknown[];
}

export interface Binding {
  readonly name: string;
  open(file: string): BoundDatabase;
}

// Not literals in the import: a bundler must leave the choice to the machine that runs it.
const candidates: readonly string[] = ['node:sqlite', '@photostructure/sqlite'];

/** @throws the last error of the import when no SQLite can be loaded. */
export async function sqliteBinding(names: readonly string[] = candidates): Promise<Binding> {
  let failure: unknown = null;
  for (const name of names) {
    try {
      const loaded: unknown = await quietly(() => import(name));
      return bindingOf(name, loaded);
    } catch (error: unknown) {
      failure = error;
    }
  }
  throw failure;
}

function bindingOf(name: string, loaded: unknown): Binding {
  const database = (loaded as { readonly DatabaseSync?: unknown }).DatabaseSync;
  invariant(typeof database === 'function', `${name} exports DatabaseSync`);
  const Database = database as new (file: string) => BoundDatabase;
  return { name, open: (file) => new Database(file) };
}

/** Node 22 warns once that its SQLite is experimental; only this one warning is kept from users. */
async function quietly<T>(load: () => Promise<T>): Promise<T> {
  const warn = process.emitWarning;
  const isExpected = (warning: unknown): boolean =>
    String(warning).includes('SQLite is an experimental feature');
  process.emitWarning = ((warning: string | Error, ...rest: readonly unknown[]) => {
    if (!isExpected(warning)) Reflect.apply(warn, process, [warning, ...rest]);
  }) as typeof process.emitWarning;
  try {
    return await load();
  } finally {
    process.emitWarning = warn;
  }
}
