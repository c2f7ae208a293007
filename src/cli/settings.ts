/** Finds and reads the layers of settings: environment, pawl.yaml, the user's config.yaml. */
import { dirname, join, relative } from 'node:path';
import type { UserConfigFile } from '../contract/definition-file.ts';
import { type Layer, readLayer } from '../contract/layer.ts';
import { longForm } from '../contract/merge.ts';
import { valueAt } from '../contract/value-path.ts';
import { ConfigError, RequestError } from '../kernel/errors.ts';
import type { Context } from './command.ts';
import type { EnvironmentName } from './environment-names.ts';

export interface Settings {
  /** Highest first, without flags. */
  readonly layers: readonly Layer[];
  /** Absolute path; null when the project has none. */
  readonly projectFile: string | null;
  readonly userFile: string | null;
}

/** @throws ConfigError with every problem of every file. */
export async function readSettings(context: Context, root: string): Promise<Settings> {
  const problems: RequestError[] = [];
  const projectFile = await projectFileOf(context, root);
  const userFile = context.options.userConfigPath;
  const environment = environmentLayer(context.options.env);
  const project = projectFile === null ? null : await readFrom(context, projectFile, 'project');
  const user = await readFrom(context, userFile, 'user');
  const layers: Layer[] = environment === null ? [] : [environment];
  for (const reading of [project, user]) {
    if (reading === null) continue;
    if (reading.ok) layers.push(reading.layer);
    else problems.push(...reading.problems);
  }
  const [first, ...rest] = problems;
  if (first !== undefined) throw new ConfigError([first, ...rest]);
  return { layers, projectFile, userFile: user === null ? null : userFile };
}

/** The nearest one upward from where the command was typed, not above the root. */
export async function projectFileOf(context: Context, root: string): Promise<string | null> {
  let folder = context.directory;
  for (let depth = 0; depth < 100; depth += 1) {
    const yaml = join(folder, 'pawl.yaml');
    const yml = join(folder, 'pawl.yml');
    const [hasYaml, hasYml] = await Promise.all([exists(context, yaml), exists(context, yml)]);
    if (hasYaml && hasYml) throw twoFiles(context, folder);
    if (hasYaml) return yaml;
    if (hasYml) return yml;
    const parent = dirname(folder);
    if (folder === root || parent === folder) return null;
    folder = parent;
  }
  return null;
}

function twoFiles(context: Context, folder: string): RequestError {
  return new RequestError('two_files', 'pawl.yaml and pawl.yml are both there', {
    where: relative(context.directory, folder) || '.',
    next: 'keep one of the two',
  });
}

async function exists(context: Context, path: string): Promise<boolean> {
  return (await context.io.readFile(path)) !== null;
}

async function readFrom(context: Context, path: string, kind: 'project' | 'user') {
  const text = await context.io.readFile(path);
  return text === null ? null : readLayer(shownPath(context, path), text, kind);
}

function shownPath(context: Context, path: string): string {
  const home = context.options.env['HOME'];
  const near = relative(context.directory, path);
  if (!near.startsWith('..')) return near;
  return home !== undefined && home !== '' && path.startsWith(`${home}/`)
    ? `~${path.slice(home.length)}`
    : path;
}

const variables = {
  PAWL_AGENT: (value: string) => ({ agent: value }),
  PAWL_ATTEMPTS: (value: string) => ({ brakes: { attempts: wholeOf('PAWL_ATTEMPTS', value) } }),
  PAWL_BASELINE: (value: string) => ({ baseline: value }),
  PAWL_CHECK: (value: string) => ({ check: value }),
  PAWL_ISOLATION: (value: string) => ({ workspace: { isolation: value } }),
  PAWL_MAX_COST: (value: string) => ({ brakes: { cost: numberOf('PAWL_MAX_COST', value) } }),
  PAWL_MAX_TIME: (value: string) => ({ brakes: { time: value } }),
  PAWL_ON_LIMIT: (value: string) => ({ onLimit: value }),
  PAWL_PERMISSIONS: (value: string) => ({ permissions: value }),
  PAWL_SETUP: (value: string) => ({ setup: value }),
} as const satisfies Record<EnvironmentName, (value: string) => object>;

/** Each variable is one key of the file, checked by the same schema. @throws ConfigError. */
function environmentLayer(env: Readonly<Record<string, string | undefined>>): Layer | null {
  const given = Object.entries(variables).flatMap(([name, toFile]) => {
    const value = env[name];
    return value === undefined || value === ''
      ? []
      : [{ name, part: checked(name, toFile(value)) }];
  });
  if (given.length === 0) return null;
  let value: UserConfigFile = {};
  for (const { part } of given) value = { ...value, ...part, ...both(value, part) };
  return {
    origin: 'environment',
    kind: 'environment',
    value,
    where: (path) => variableAt(given, path),
  };
}

function checked(name: string, part: object): UserConfigFile {
  const reading = readLayer(name, JSON.stringify(part), 'project');
  if (!reading.ok) throw new ConfigError(reading.problems);
  return reading.layer.value;
}

function variableAt(
  given: readonly { readonly name: string; readonly part: UserConfigFile }[],
  path: readonly (string | number)[],
): string {
  const at = given.filter(({ part }) => valueAt(longForm(part), path) !== undefined);
  return (at.length === 0 ? given : at).map(({ name }) => name).join(', ');
}

function both(a: UserConfigFile, b: UserConfigFile): UserConfigFile {
  return a.brakes !== undefined && b.brakes !== undefined
    ? { brakes: { ...a.brakes, ...b.brakes } }
    : {};
}
function wholeOf(name: string, value: string): number {
  if (/^\d{1,6}$/.test(value)) return Number(value);
  throw new RequestError('bad_value', `"${value}" is not a whole number`, { where: name });
}
function numberOf(name: string, value: string): number {
  if (/^\d{1,9}(\.\d+)?$/.test(value)) return Number(value);
  throw new RequestError('bad_value', `"${value}" is not an amount`, { where: name });
}
