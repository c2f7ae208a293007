import { expect, test } from 'vitest';
import { fileDefaults } from './defaults.ts';
import { define } from './define.ts';
import { definitionFile } from './definition-file.ts';
import { exampleFile } from './example-file.ts';
import { definitionJsonSchema } from './json-schema.ts';
import { readLayer } from './layer.ts';
import { snapshotLayer } from './snapshot-layer.ts';

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

test('every key has an example, and the examples are read (UX 4.3)', () => {
  expect(definitionFile.safeParse(exampleFile)).toMatchObject({ success: true });
  for (const [path, node] of objects(definitionJsonSchema())) {
    const { properties } = node;
    for (const [key, inner] of Object.entries(isNode(properties) ? properties : {})) {
      expect(isNode(inner) && inner['examples'], `${path}.${key}`).toEqual(expect.any(Array));
    }
  }
});

test('the defaults that are shown are those that count', () => {
  const text = 'agent: pi\ncheck: npm test';
  const reading = readLayer('pawl.yaml', text, 'project');
  const project = { root: '/p', name: 'p', kind: 'user', cwd: '' } as const;
  const facts = { goal: 'g', name: null, base: null, baseBranch: null, includeChanges: false };
  const { definition } = define(reading.ok ? [reading.layer] : [], {
    ...facts,
    project,
    extraCriteria: [],
  });
  const {
    goal: _,
    agents: __,
    criteria: ___,
    roles,
    ...counting
  } = snapshotLayer(definition, 'x').value;
  const { version, strategy, roles: shown, ...defaults } = fileDefaults;
  expect({ version, strategy }).toEqual({
    version: definition.version,
    strategy: definition.strategy,
  });
  expect(roles?.execute).toMatchObject({ profile: shown?.execute?.profile, args: [] });
  const { when, ...land } = defaults.land ?? {};
  expect(when).toBe('asked');
  const { steps, ...brakes } = defaults.brakes ?? {};
  expect(steps).toBe(null);
  expect(counting).toEqual({ ...defaults, land, brakes });
});

test('the schema names them', () => {
  expect(definitionJsonSchema()).toMatchObject({
    properties: {
      baseline: { default: 'auto' },
      brakes: { properties: { attempts: { default: 5 }, time: { default: '8h' } } },
      concurrency: { properties: { max: { default: 3 } } },
    },
  });
});
