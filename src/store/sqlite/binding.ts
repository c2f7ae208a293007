/**
 * Which SQLite is used: Node's own where it can be loaded, else the prebuilt package with the same
 * interface. Decided by trying, not by version: some builds of Node leave theirs out.
 *
 * Loaded by `require`: every command of the CLI waits for it, and the loader of ES modules takes
 * twice as long for the package (10 against 17 ms of CPU), in many turns of the event loop.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
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

const load = createRequire(import.meta.url);
// Not literals in the call: a bundler must leave the choice to the machine that runs it.
const candidates: readonly string[] = ['node:sqlite', '@photostructure/sqlite'];
const prebuilt = {
  name: '@photostructure/sqlite',
  file: '@photostructure+sqlite.glibc.node',
} as const;
let chosen: Binding | null = null;

/** Chosen once in a process. @throws the last error of loading when there is no SQLite. */
export function sqliteBinding(): Binding {
  chosen ??= firstBinding(candidates);
  return chosen;
}

/** The first of these that can be loaded. @throws as {@link sqliteBinding}. */
export function firstBinding(names: readonly string[]): Binding {
  let failure: unknown = null;
  for (const name of names) {
    try {
      return bindingOf(
        name,
        quietly(() => loaded(name)),
      );
    } catch (error: unknown) {
      failure = error;
    }
  }
  throw failure;
}

/**
 * Its prebuilt binary itself where the package would take that one: its way there searches folders
 * and loads helpers, which takes 10 ms of CPU in every start of ours. In doubt the package decides.
 */
function loaded(name: string): unknown {
  const file = name === prebuilt.name ? prebuiltFile() : null;
  if (file === null) return load(name);
  try {
    return load(file);
  } catch {
    // Made for another libc: the package knows better, or says what is wrong.
    return load(name);
  }
}

/** Null where the package prefers another: built on this machine, or for Alpine. */
function prebuiltFile(): string | null {
  const folders = (load.resolve.paths(prebuilt.name) ?? []).map((at) => join(at, prebuilt.name));
  const folder = folders.find((candidate) => existsSync(candidate));
  if (folder === undefined || existsSync(join(folder, 'build'))) return null;
  if (existsSync('/etc/alpine-release')) return null;
  const file = join(folder, 'prebuilds', `${process.platform}-${process.arch}`, prebuilt.file);
  return existsSync(file) ? file : null;
}

function bindingOf(name: string, loaded: unknown): Binding {
  const database = (loaded as { readonly DatabaseSync?: unknown }).DatabaseSync;
  invariant(typeof database === 'function', `${name} exports DatabaseSync`);
  const Database = database as new (file: string) => BoundDatabase;
  return { name, open: (file) => new Database(file) };
}

/** Node 22 warns once that its SQLite is experimental; only this one warning is kept from users. */
function quietly<T>(action: () => T): T {
  const warn = process.emitWarning;
  const isExpected = (warning: unknown): boolean =>
    String(warning).includes('SQLite is an experimental feature');
  process.emitWarning = ((warning: string | Error, ...rest: readonly unknown[]) => {
    if (!isExpected(warning)) Reflect.apply(warn, process, [warning, ...rest]);
  }) as typeof process.emitWarning;
  try {
    return action();
  } finally {
    process.emitWarning = warn;
  }
}
