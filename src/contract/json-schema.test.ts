import { expect, test } from 'vitest';
import { definitionJsonSchema } from './json-schema.ts';

type Node = { readonly [key: string]: unknown };
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

function objects(value: unknown, path = '$'): readonly (readonly [string, Node])[] {
  if (!isNode(value)) return [];
  const here = value['type'] === 'object' ? [[path, value] as const] : [];
  return [
    ...here,
    ...Object.entries(value).flatMap(([key, inner]) => objects(inner, `${path}.${key}`)),
  ];
}

test('the schema is of draft 2020-12, with an identity that names its major version', () => {
  expect(definitionJsonSchema()).toMatchObject({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: expect.stringContaining('/1/'),
  });
});

test('every object is closed and every key has a description (UX 4.3)', () => {
  for (const [path, node] of objects(definitionJsonSchema())) {
    expect(node['additionalProperties'], path).not.toBe(undefined);
    const { properties } = node;
    for (const [key, inner] of Object.entries(isNode(properties) ? properties : {})) {
      expect(isNode(inner) && inner['description'], `${path}.${key}`).toEqual(expect.any(String));
    }
  }
});
