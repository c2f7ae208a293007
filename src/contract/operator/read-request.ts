/**
 * Reads what came in against its schema: every problem at once, each with its place, what was
 * found and what is allowed. Unknown keys are errors.
 */
import type * as z from 'zod';
import { ConfigError, RequestError } from '../../kernel/errors.ts';
import { nearest } from '../nearest.ts';
import { keysAt, named, schemaAt, shown, valueAt } from '../value-path.ts';
import { mustBe } from '../wording.ts';
import type { Path } from '../yaml-source.ts';

const problemsMax = 20;
const next = 'see what the operation takes: GET /openapi.json';

/** `place`: `body`, `query`, `path`. @throws ConfigError `bad_value`, `unknown_key`. */
export function readRequest<S extends z.ZodType>(
  schema: S,
  value: unknown,
  place: string,
): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues
    .flatMap((issue) => problemOf(issue, { schema, value, place }))
    .slice(0, problemsMax);
  const [first, ...rest] = problems;
  throw new ConfigError([
    first ?? new RequestError('bad_value', `${place} is unreadable`),
    ...rest,
  ]);
}

interface Read {
  readonly schema: z.ZodType;
  readonly value: unknown;
  readonly place: string;
}

function problemOf(issue: z.core.$ZodIssue, { schema, value, place }: Read): RequestError[] {
  const path: Path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)));
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => unknownKey(key, keysAt(schema, path), whereOf(place, path)));
  }
  const where = whereOf(place, path);
  const found = valueAt(value, path);
  return [
    new RequestError('bad_value', `${where} must be ${mustBe(issue, schemaAt(schema, path))}`, {
      where,
      found: shown(found),
      next,
    }),
  ];
}

function unknownKey(key: string, allowed: readonly string[], where: string): RequestError {
  const near = nearest(key, allowed);
  return new RequestError('unknown_key', `"${key.slice(0, 100)}" is not a key of ${where}`, {
    where,
    ...(allowed.length === 0 ? {} : { allowed: allowed.toSorted().join(', ') }),
    next: `${near === null ? '' : `did you mean "${near}"?   `}${next}`,
  });
}

const whereOf = (place: string, path: Path): string =>
  path.length === 0 ? place : `${place}.${named(path)}`;
