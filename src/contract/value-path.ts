/** What lies at a place of a value, what the contract holds for it, and how the place is named. */
import * as z from 'zod';
import { unwrapped } from './wording.ts';
import type { Path } from './yaml-source.ts';

export function schemaAt(schema: z.ZodType, path: Path): unknown {
  let at: unknown = schema;
  for (const step of path) at = inside(unwrapped(at), step);
  return at;
}

export function keysAt(schema: z.ZodType, path: Path): readonly string[] {
  const bare = unwrapped(schemaAt(schema, path));
  return bare instanceof z.ZodObject ? Object.keys(bare.shape) : [];
}
function inside(schema: unknown, step: string | number): unknown {
  if (schema instanceof z.ZodObject) return schema.shape[String(step)];
  if (schema instanceof z.ZodArray) return schema.element;
  return schema instanceof z.ZodRecord ? schema.valueType : undefined;
}
export function valueAt(value: unknown, path: Path): unknown {
  let at: unknown = value;
  for (const step of path) {
    if (typeof at !== 'object' || at === null) return undefined;
    at = (at as Readonly<Record<string | number, unknown>>)[step];
  }
  return at;
}

/** `roles.execute.agent`, `criteria[0].timeout`. */
export function named(path: Path): string {
  return path
    .map((step, i) => (typeof step === 'number' ? `[${step}]` : i === 0 ? step : `.${step}`))
    .join('');
}
export function shown(value: unknown): string {
  const json = value === undefined ? 'nothing' : JSON.stringify(value);
  return json.length > 200 ? `${json.slice(0, 199)}…` : json;
}
