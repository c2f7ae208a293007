/** Values of JSON from outside, asked by shape and never by truthiness. */

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What is no object has no fields. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Those of a list that are objects. */
export function fieldsIn(value: unknown): readonly Fields[] {
  return listOf(value).filter(isFields);
}

/** Null for what is no text, and for text that says nothing. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Null for what is no amount. */
export function amountOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}

const idMax = 200;

/** A name that is remembered: never longer than any real one. */
export function idOf(value: unknown): string | null {
  return textOf(value)?.slice(0, idMax) ?? null;
}

/**
 * What a tool's input says of how long it may take: agents take that of their shell in milliseconds
 * under this name. Less than a second is another's number, in seconds or in tries.
 */
export function timeoutOf(input: unknown): number | null {
  const said = amountOf(fieldsOf(input)['timeout']);
  return said === null || said < 1_000 ? null : said;
}
