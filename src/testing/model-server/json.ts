/** What agents send to a model, read by shape. */
import { type Fields, fieldsOf, listOf } from '../../kernel/json.ts';

/** One that is no object counts as an empty one: the places of a list mean something. */
export function list(value: unknown): readonly Fields[] {
  return listOf(value).map(fieldsOf);
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

export function parameters(schema: unknown): Readonly<Record<string, Fields>> {
  const properties = Object.entries(fieldsOf(fieldsOf(schema)['properties']));
  return Object.fromEntries(properties.map(([name, value]) => [name, fieldsOf(value)]));
}
