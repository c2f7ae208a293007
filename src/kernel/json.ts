/**
 * Values of JSON from outside: asked by shape and never by truthiness, since nothing that a foreign
 * program wrote is believed to have one.
 */

export type Fields = Readonly<Record<string, unknown>>;

/** The value of JSON text; null for what is no JSON. Its shape is still unproven. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error: unknown) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

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

/** Finite; null for what is no number. */
export function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** Finite and not below zero; null for what is no amount. */
export function amountOf(value: unknown): number | null {
  const number = numberOf(value);
  return number !== null && number >= 0 ? number : null;
}

/** The same text for the same value: keys in order, nothing that is undefined. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, held: unknown) =>
    isFields(held)
      ? Object.fromEntries(Object.entries(held).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : held,
  );
}
