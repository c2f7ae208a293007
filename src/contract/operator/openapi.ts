/** The OpenAPI 3.1 document, made of the same rows and schemas that server and client use. */
import * as z from 'zod';
import type { Operation } from './operation.ts';
import { operations } from './operations.ts';
import { problemBody } from './problem-body.ts';
import { runView } from './words.ts';

type Json = { [key: string]: unknown };

/** What is answered by most operations is written once. */
const answerOf = (schema: z.ZodType): Json =>
  schema === runView ? { $ref: '#/components/schemas/Run' } : schemaOf(schema, 'output');

const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): Json => {
  const { $schema: _named, ...rest } = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io,
    unrepresentable: 'any',
  }) as Json;
  return rest;
};

export function openApiDocument(version: string): Json {
  const paths: Record<string, Json> = {};
  for (const [name, row] of Object.entries(operations)) {
    const path = row.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [row.method.toLowerCase()]: operationOf(name, row) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'pawl',
      version,
      description:
        'The operator API of `pawl serve`. Every operation needs an operator token; an unknown ' +
        'key is an error. A POST with the same `Idempotency-Key` is done once ' +
        'by one process; with its `Pawl-Instance` another one refuses it.',
    },
    paths,
    components: {
      securitySchemes: { operator: { type: 'http', scheme: 'bearer' } },
      schemas: { Problem: schemaOf(problemBody, 'output'), Run: schemaOf(runView, 'output') },
    },
    security: [{ operator: [] }],
  };
}

function operationOf(name: string, row: Operation): Json {
  const problem = { 'application/json': { schema: { $ref: '#/components/schemas/Problem' } } };
  const media = row.media ?? 'application/json';
  return {
    operationId: name,
    summary: row.summary,
    parameters: [...parametersOf(row.params, 'path'), ...parametersOf(row.query, 'query')],
    ...(row.method === 'GET' ? {} : { requestBody: bodyOf(row.body) }),
    responses: {
      200: {
        description: 'Done as asked.',
        content: { [media]: { schema: answerOf(row.response) } },
      },
      default: { description: 'Refused, or failed: why, and what to do.', content: problem },
    },
  };
}

const bodyOf = (body: z.ZodType): Json => ({
  required: true,
  content: { 'application/json': { schema: schemaOf(body, 'input') } },
});

function parametersOf(schema: z.ZodType, place: 'path' | 'query'): Json[] {
  const { properties = {}, required = [] } = schemaOf(schema, 'input') as {
    readonly properties?: Record<string, Json>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    in: place,
    required: required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema: property,
  }));
}
