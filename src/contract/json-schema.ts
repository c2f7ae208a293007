/** JSON Schema 2020-12 of `pawl.yaml`, made from the zod schema (UX 4.3). */
import * as z from 'zod';
import { definitionFile } from './definition-file.ts';

/** Every object is closed; every key has a description. */
export function definitionJsonSchema(): Readonly<Record<string, unknown>> {
  const schema = z.toJSONSchema(definitionFile, { target: 'draft-2020-12', io: 'input' });
  return { $id: 'https://pawl.dev/schema/1/pawl.schema.json', title: 'pawl.yaml', ...schema };
}
