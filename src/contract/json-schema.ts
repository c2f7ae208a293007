/** JSON Schema 2020-12 of `pawl.yaml`, made from the zod schema (UX 4.3). */
import * as z from 'zod';
import { isFields } from '../kernel/json.ts';
import { fileDefaults } from './defaults.ts';
import { definitionFile } from './definition-file.ts';
import { exampleFile } from './example-file.ts';

type Node = { [key: string]: unknown };

/** Every object is closed; every key has a description, an example and, if any, its default. */
export function definitionJsonSchema(): Readonly<Record<string, unknown>> {
  const schema = z.toJSONSchema(definitionFile, { target: 'draft-2020-12', io: 'input' }) as Node;
  annotate(schema, fileDefaults, [exampleFile]);
  return { $id: 'https://pawl.dev/schema/1/pawl.schema.json', title: 'pawl.yaml', ...schema };
}

/** `examples`: values of this node, each of which may lack some of its keys. */
function annotate(node: Node, defaults: unknown, examples: readonly unknown[]): void {
  for (const [key, child] of Object.entries(node['properties'] ?? {})) {
    if (!isNode(child)) continue;
    const values = examples.flatMap((value) => valuesAt(value, key));
    annotateKey(child, at(defaults, key), values);
  }
  const many = node['additionalProperties'];
  if (isNode(many)) annotate(many, undefined, examples.filter(isNode).flatMap(Object.values));
  const items = node['items'];
  if (isNode(items)) annotate(items, undefined, examples.flat());
  for (const variant of variantsOf(node)) annotate(variant, undefined, examples);
}

function annotateKey(key: Node, byDefault: unknown, values: readonly unknown[]): void {
  if (byDefault !== undefined && !isNode(byDefault)) key['default'] = byDefault;
  if (values.length > 0) key['examples'] ??= values.slice(0, 2);
  annotate(key, byDefault, values);
}

const variantsOf = ({ anyOf }: Node): readonly Node[] =>
  Array.isArray(anyOf) ? anyOf.filter(isNode) : [];

const isNode = (value: unknown): value is Node => isFields(value);

const at = (value: unknown, key: string): unknown => (isNode(value) ? value[key] : undefined);

function valuesAt(value: unknown, key: string): readonly unknown[] {
  const found = at(value, key);
  return found === undefined ? [] : [found];
}
