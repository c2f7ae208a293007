/**
 * One source of settings: flags, environment, `pawl.yaml`, the user's `config.yaml`. Reading one
 * checks it against the schema and says everything that is wrong with it, each in the form of UX
 * 4.4.
 */
import type * as z from 'zod';
import { RequestError } from '../kernel/errors.ts';
import { definitionFile, type UserConfigFile, userConfigFile } from './definition-file.ts';
import { nearest } from './nearest.ts';
import { isKeyOfLater, isValueOfLater } from './not-yet.ts';
import { keysAt, named, schemaAt, shown, valueAt } from './value-path.ts';
import { mustBe } from './wording.ts';
import { type Path, parseYaml, type YamlSource } from './yaml-source.ts';

export interface Layer {
  /** `flags`, `environment`, `detected`, or the name of the file. */
  readonly origin: string;
  readonly kind: 'flags' | 'environment' | 'project' | 'user' | 'detected';
  readonly value: UserConfigFile;
  /** Where a value was written: `pawl.yaml:7:3`, `--attempts`. */
  where(path: Path): string;
}
export type LayerReading =
  | { readonly ok: true; readonly layer: Layer }
  | { readonly ok: false; readonly problems: readonly [RequestError, ...RequestError[]] };

/**
 * Reads `pawl.yaml`, or with `user` the `config.yaml` of the user. `flagOf`: it was not written as
 * a file, and this is how a value of it was given. Never throws.
 */
export function readLayer(
  name: string,
  text: string,
  kind: 'project' | 'user',
  flagOf?: (path: Path) => string,
): LayerReading {
  let source: YamlSource;
  try {
    source = parseYaml(name, text);
  } catch (error: unknown) {
    if (error instanceof RequestError) return { ok: false, problems: [error] };
    throw error;
  }
  const schema = kind === 'user' ? userConfigFile : definitionFile;
  const parsed = schema.safeParse(source.value ?? {});
  const problems = [
    ...(parsed.success
      ? []
      : parsed.error.issues.flatMap((issue) => describe(issue, { source, schema, flagOf }))),
    ...shortAndLong(source),
  ];
  const [first, ...rest] = problems;
  if (first !== undefined) return { ok: false, problems: [first, ...rest] };
  const value = parsed.success ? parsed.data : {};
  return {
    ok: true,
    layer: { origin: name, kind, value, where: (path) => placeOf(source, path) },
  };
}

interface Reading {
  readonly source: YamlSource;
  readonly schema: z.ZodType;
  readonly flagOf: ((path: Path) => string) | undefined;
}

function describe(
  issue: z.core.$ZodIssue,
  { source, schema, flagOf }: Reading,
): readonly RequestError[] {
  const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)));
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => unknownKey([...path, key], source, schema));
  }
  const found = valueAt(source.value, path);
  if (isValueOfLater(path.map(String), found)) {
    return [notSupported(`"${path.join('.')}: ${String(found)}"`, source.whereValue(path))];
  }
  if (flagOf !== undefined) {
    const where = flagOf(path);
    const what = path.at(-1) === 'model' ? `the model of ${where}` : where;
    return [
      new RequestError('bad_value', `${what} must be ${mustBe(issue, schemaAt(schema, path))}`, {
        ...{ where, found: shown(found), next: 'pawl run --help' },
      }),
    ];
  }
  return [
    new RequestError(
      'bad_value',
      `${path.length === 0 ? 'the file' : `"${named(path)}"`} must be ${mustBe(issue, schemaAt(schema, path))}`,
      {
        where: source.whereValue(path),
        found: mayBeSecret(path, found) ? notShown : shown(found),
        next: 'pawl config schema   ·   pawl config check',
      },
    ),
  ];
}

/** In place of a reference there often stands what it should lead to. */
const notShown = 'a value that is not shown, since it may be the secret itself';

function mayBeSecret([top, ...rest]: Path, found: unknown): boolean {
  if (found === undefined) return false;
  if (top === 'secrets') return true;
  const isKey = ['secret', 'token'].includes(String(rest.at(-1)));
  return top === 'notify' && (isKey || typeof found === 'object');
}

function unknownKey(path: Path, source: YamlSource, schema: z.ZodType): RequestError {
  const where = source.whereKey(path);
  if (isKeyOfLater(path.map(String))) return notSupported(`"${named(path)}"`, where);
  const key = String(path.at(-1));
  const parent = named(path.slice(0, -1));
  const allowed = keysAt(schema, path.slice(0, -1));
  const near = nearest(key, allowed);
  return new RequestError(
    'unknown_key',
    `"${key}" is not a key of ${parent === '' ? source.name : parent}`,
    {
      where,
      allowed: [...allowed].sort((a, b) => a.localeCompare(b)).join(', '),
      next: `${near === null ? '' : `did you mean "${near}"?   `}pawl config check`,
    },
  );
}

function notSupported(what: string, where: string): RequestError {
  return new RequestError('not_supported', `${what} is not supported yet`, {
    where,
    next: 'leave it out: this version would not honour it   ·   pawl config schema',
  });
}

const pairs = [
  ['agent', ['roles', 'execute', 'agent']],
  ['setup', ['workspace', 'setup']],
  ['check', ['criteria']],
] as const;

/** A value that was given in the short form is shown where that stands. */
function placeOf(source: YamlSource, path: Path): string {
  for (const [short, long] of pairs) {
    const isUnder = long.every((step, i) => path[i] === step);
    if (isUnder && valueAt(source.value, [short]) !== undefined) {
      return source.whereValue([short, ...path.slice(long.length)]);
    }
  }
  return source.whereValue(path);
}

function shortAndLong(source: YamlSource): RequestError[] {
  return pairs
    .filter(
      ([short, long]) =>
        valueAt(source.value, [short]) !== undefined && valueAt(source.value, long) !== undefined,
    )
    .map(
      ([short, long]) =>
        new RequestError(
          'short_and_long',
          `"${short}" is short for "${long.join('.')}"; both are given`,
          {
            where: source.whereKey([short]),
            found: `${source.whereKey([short])} and ${source.whereKey([...long])}`,
            next: 'keep one of the two',
          },
        ),
    );
}
