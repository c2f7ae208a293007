/** The OpenAPI 3.1 document of the worker plane, made of the schemas that both of its ends use. */
import * as z from 'zod';
import { planeHeaders, planePrefix, planeVerbNames, planeVerbs, putKinds } from './plane.ts';
import { planeRefusalCodes, planeRefusals, refusalBody } from './plane-refusals.ts';
import { digest, planeWire } from './plane-words.ts';

type Json = { [key: string]: unknown };
type Proof = (typeof planeVerbs)[keyof typeof planeVerbs]['proof'];

const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): Json => {
  const options = { target: 'draft-2020-12', io, unrepresentable: 'any' } as const;
  const { $schema: _named, ...rest } = z.toJSONSchema(schema, options) as Json;
  return rest;
};

export function planeOpenApi(version: string): Json {
  const verbs = planeVerbNames.map((name) => [`${planePrefix}/${name}`, { post: verbOf(name) }]);
  return {
    openapi: '3.1.0',
    info: {
      title: 'pawl worker plane',
      version,
      description:
        'What a worker says to `pawl serve`. Messages are closed: an unknown key is refused. A ' +
        'token is authentication; the grant of the execution, asked in the same transaction, is ' +
        'the authority. The same message again gets the same answer.',
    },
    paths: {
      ...(Object.fromEntries(verbs) as Json),
      [`${planePrefix}/artifacts/{digest}`]: { put: putOf(), get: getOf() },
    },
    components: {
      securitySchemes: {
        worker: { type: 'http', scheme: 'bearer', description: 'Of `session`.' },
        execution: { type: 'http', scheme: 'bearer', description: 'Of `claim` and `heartbeat`.' },
      },
      schemas: { Refusal: refusal() },
    },
  };
}

/** A code or nothing is no header: the message proves itself. */
const securityOf = (proof: Proof): Json[] =>
  proof === 'worker' || proof === 'execution' ? [{ [proof]: [] }] : [];

function verbOf(name: keyof typeof planeVerbs): Json {
  const { proof, what, request, answer } = planeVerbs[name];
  const content = { 'application/json': { schema: schemaOf(request, 'input') } };
  return {
    operationId: name,
    summary: what,
    security: securityOf(proof),
    requestBody: { required: true, content },
    responses: {
      200: answered('Done, or done before.', {
        'application/json': { schema: schemaOf(answer, 'output') },
      }),
      ...refused,
    },
  };
}

const answered = (description: string, content: Json): Json => ({ description, content });

const refused = {
  default: answered('Refused: a code and a constant text.', {
    'application/json': { schema: { $ref: '#/components/schemas/Refusal' } },
  }),
};

const bytes = { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } };

function putOf(): Json {
  return {
    operationId: 'artifact-put',
    summary: 'Puts bytes under their digest; what is not theirs leaves nothing.',
    security: securityOf('execution'),
    parameters: [...headers(), header(planeHeaders.kind, { type: 'string', enum: putKinds })],
    requestBody: { required: true, content: bytes },
    responses: {
      200: answered('They are there.', {
        'application/json': {
          schema: {
            type: 'object',
            properties: { ok: { type: 'boolean', const: true } },
            required: ['ok'],
            additionalProperties: false,
          },
        },
      }),
      ...refused,
    },
  };
}

function getOf(): Json {
  return {
    operationId: 'artifact-get',
    summary: 'The bytes of a digest.',
    security: securityOf('execution'),
    parameters: headers(),
    responses: { 200: answered('The bytes.', bytes), ...refused },
  };
}

const header = (name: string, schema: Json): Json => ({
  ...{ name, in: 'header', required: true, schema },
});

const headers = (): Json[] => [
  { name: 'digest', in: 'path', required: true, schema: schemaOf(digest, 'input') },
  header(planeHeaders.wire, { type: 'string', const: String(planeWire) }),
  header(planeHeaders.execution, { type: 'string' }),
  header(planeHeaders.grant, { type: 'string' }),
];

/** The text of a code is constant, so both are told together. */
function refusal(): Json {
  const told = planeRefusalCodes.map((code) => {
    const { http, text } = planeRefusals[code];
    return `${code} (${http}): ${text}`;
  });
  return { ...schemaOf(refusalBody, 'output'), description: told.join('; ') };
}
