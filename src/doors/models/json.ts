/** Reading JSON that a foreign program sent: nothing is believed to have a shape. */

export type Json = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value as a record; an empty one for anything else. */
export function record(value: unknown): Json {
  return isRecord(value) ? value : {};
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** A count: finite and not below zero; null for anything else. */
export function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}

/** Null for what is not JSON. */
export function parsed(source: string): { readonly value: unknown } | null {
  try {
    return { value: JSON.parse(source) as unknown };
  } catch (error: unknown) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
