/** Reading JSON that a foreign program sent: nothing is believed to have a shape. */

export type Json = Readonly<Record<string, unknown>>;

export function record(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Json)
    : {};
}

export function list(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.map(record) : [];
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The text of a message's content: a string, or parts with a `text` or a nested `content`. */
export function contentText(value: unknown): string {
  if (typeof value === 'string') return value;
  const parts = list(value).map((part) => text(part['text']) || contentText(part['content']));
  return parts.filter((part) => part !== '').join('\n');
}

export function parameters(schema: unknown): Readonly<Record<string, Json>> {
  const properties = Object.entries(record(record(schema)['properties']));
  return Object.fromEntries(properties.map(([name, value]) => [name, record(value)]));
}
