import { join } from 'node:path';
import { parseYaml } from '../contract/yaml-source.ts';
import { type Fields, isFields, parsedJson } from '../kernel/json.ts';
import type { ProjectFiles } from '../ports/project-files.ts';

/** One folder of a project, between a manifest and the root of its repository. */
export interface Folder {
  readonly path: string;
  /** The folders above it up to the root, nearest first, itself included. */
  readonly upward: readonly string[];
  readonly names: ReadonlySet<string>;
  readonly files: ProjectFiles;
}

/** Text of a file of the folder; null when it is not there. */
export function textOf(folder: Folder, name: string): Promise<string | null> {
  return folder.names.has(name)
    ? folder.files.read(join(folder.path, name))
    : Promise.resolve(null);
}

export function firstOf(folder: Folder, names: readonly string[]): string | null {
  return names.find((name) => folder.names.has(name)) ?? null;
}

export type JsonObject = Fields;

/** The object in a JSON file; null for anything else, a broken file included. */
export function objectIn(text: string): JsonObject | null {
  return asObject(parsedJson(text));
}

/** The object in a YAML file, or in JSON with comments; null for anything else. */
export function mapIn(name: string, text: string): JsonObject | null {
  try {
    return asObject(parseYaml(name, text).value);
  } catch {
    // What is not YAML says nothing; the tool that owns the file will tell what is wrong with it.
    return null;
  }
}

export function asObject(value: unknown): JsonObject | null {
  return isFields(value) ? value : null;
}

/** Only the entries that are text. */
export function textsIn(value: unknown): ReadonlyMap<string, string> {
  const entries = Object.entries(asObject(value) ?? {});
  return new Map(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
