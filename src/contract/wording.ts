/**
 * What a value of the file must be, in words of this product: those of the schema library would
 * tell a reader about the library. One phrase that stands after "must be".
 */
import * as z from 'zod';

/** `schema` is what the contract holds for the place of the issue; undefined when it has none. */
export function mustBe(issue: z.core.$ZodIssue, schema: unknown): string {
  const phrase = phraseOf(issue, schema);
  return isNullable(schema) && phrase !== 'null' ? `${phrase}, or null` : phrase;
}

function phraseOf(issue: z.core.$ZodIssue, schema: unknown): string {
  switch (issue.code) {
    case 'invalid_value':
      return listed(issue.values.map((value) => JSON.stringify(value)));
    case 'invalid_type':
      return kindOf(schema) ?? typeWords[issue.expected] ?? 'of another kind';
    case 'invalid_format':
    case 'custom':
      return issue.message;
    case 'too_small':
    case 'too_big':
      return rangeOf(schema) ?? bound(issue);
    case 'invalid_key':
      return `named by ${issue.issues[0]?.message ?? 'other characters'}`;
    case 'invalid_union':
      return unionOf(schema) ?? 'of another kind';
    default:
      return 'what `pawl config schema` says';
  }
}

const typeWords: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map',
  record: 'a map',
  null: 'null',
};

/** `a whole number from 1 to 64`; null for what is no plain kind. */
function kindOf(schema: unknown): string | null {
  const bare = unwrapped(schema);
  if (bare instanceof z.ZodString) return `a text${exampleOf(bare)}`;
  if (bare instanceof z.ZodBoolean) return 'true or false';
  if (bare instanceof z.ZodNull) return 'null';
  if (bare instanceof z.ZodArray) return `a list${ofWhat(bare.element)}`;
  if (bare instanceof z.ZodRecord) return 'a map of names to values';
  if (bare instanceof z.ZodObject) return mapOf(Object.keys(bare.shape));
  if (bare instanceof z.ZodEnum || bare instanceof z.ZodLiteral) return valuesOf(bare);
  return bare instanceof z.ZodUnion ? unionOf(bare) : rangeOf(bare);
}

const mapOf = (keys: readonly string[]): string =>
  keys.length === 0 ? 'an empty map' : `a map of ${keys.join(', ')}`;

function exampleOf(schema: z.ZodString): string {
  const examples = schema.meta()?.['examples'];
  const example: unknown = Array.isArray(examples) ? examples[0] : null;
  return typeof example === 'string' ? ` like ${example}` : '';
}

const ofWhat = (element: unknown): string =>
  unwrapped(element) instanceof z.ZodString ? ' of texts' : '';

function valuesOf(schema: z.ZodEnum | z.ZodLiteral): string {
  const values = schema instanceof z.ZodEnum ? schema.options : [...schema.values];
  return listed(values.map((value) => JSON.stringify(String(value))));
}

function unionOf(schema: unknown): string | null {
  const bare = unwrapped(schema);
  if (!(bare instanceof z.ZodUnion)) return null;
  return listed(bare.options.map((option) => kindOf(option) ?? 'another value'));
}

/** Of a number or a list; null for everything else. */
function rangeOf(schema: unknown): string | null {
  const bare = unwrapped(schema);
  if (!(bare instanceof z.ZodNumber)) return null;
  const { minValue, maxValue } = bare;
  const noun = bare.format === 'safeint' ? 'a whole number' : 'a number';
  const [low, high] = [minValue ?? Number.NEGATIVE_INFINITY, maxValue ?? Number.POSITIVE_INFINITY];
  if (!Number.isFinite(low) || low <= Number.MIN_SAFE_INTEGER) return noun;
  const from = noun === 'a number' && low === 0 ? 'above 0' : `from ${low}`;
  return high >= Number.MAX_SAFE_INTEGER || !Number.isFinite(high)
    ? `${noun} ${from}`
    : `${noun} ${from} ${from.startsWith('from') ? 'to' : 'and up to'} ${high}`;
}

function bound(issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig): string {
  if (issue.code === 'too_big') {
    return issue.origin === 'array'
      ? `a list of at most ${issue.maximum}`
      : `a text of at most ${issue.maximum} characters`;
  }
  if (issue.origin === 'array') return `a list with at least ${issue.minimum} in it`;
  return issue.origin === 'string' ? 'a text that is not empty' : `at least ${issue.minimum}`;
}

function listed(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} or ${last}`;
}

/** Without what only says that a value may be missing, null or filled in. */
export function unwrapped(schema: unknown): unknown {
  let at = schema;
  for (let depth = 0; depth < 10; depth += 1) {
    if (isFilled(at) || at instanceof z.ZodNullable) at = at.unwrap();
    else return at;
  }
  return at;
}

/** What may be missing, in either form. */
const isFilled = (schema: unknown): schema is z.ZodOptional | z.ZodExactOptional | z.ZodDefault =>
  schema instanceof z.ZodOptional ||
  schema instanceof z.ZodExactOptional ||
  schema instanceof z.ZodDefault;

function isNullable(schema: unknown): boolean {
  let at = schema;
  for (let depth = 0; depth < 10; depth += 1) {
    if (at instanceof z.ZodNullable) return true;
    if (isFilled(at)) at = at.unwrap();
    else return false;
  }
  return false;
}
