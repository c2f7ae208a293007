/**
 * The worker plane as routes of a server. One gate for every verb: its message is of the contract,
 * its token is proven for its audience, the token and the message speak of the same thing, and only
 * then is it handled. Whatever is refused is answered by a code and a constant text, and kept.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type PlaneVerb, planePrefix, planeVerbNames, planeVerbs } from '../../contract/plane.ts';
import { bodyOf, planeRefusals } from '../../contract/plane-refusals.ts';
import { digest, limits, type PlaneBinding, planeWire } from '../../contract/plane-words.ts';
import { TransientError } from '../../kernel/errors.ts';
import { type Fields, fieldsOf } from '../../kernel/json.ts';
import { artifactRoutes } from './artifact-routes.ts';
import { bearerOf } from './bearer.ts';
import { executionHandlers } from './execution-handlers.ts';
import type { PlaneServerOptions } from './options.ts';
import { PlaneRefusal } from './refusal.ts';
import type { ExecutionClaims } from './tokens.ts';
import { openHandlers, workerHandlers } from './worker-handlers.ts';

/** Of messages: the largest, a result, has lists and no texts. */
const bodyLimit = limits.messageBytes;

export function planeRoutes(options: PlaneServerOptions): (app: FastifyInstance) => Promise<void> {
  const handle = handling(options);
  return async (app) => {
    // A scope of its own: what is refused here is told in the plane's words.
    await app.register(
      async (scope) => {
        scope.setErrorHandler((error, request, reply) => refuse(options, request, reply, error));
        scope.setNotFoundHandler((request, reply) =>
          refuse(options, request, reply, new PlaneRefusal('verb.unknown')),
        );
        for (const verb of planeVerbNames) {
          scope.post(`/${verb}`, { bodyLimit }, async (request, reply) => {
            const answer = await untilGone(request, (signal) => handle(verb, request, signal));
            return reply.header('cache-control', 'no-store').send(answer);
          });
        }
        await artifactRoutes(scope, options);
      },
      { prefix: planePrefix },
    );
  };
}

/** A poll ends with its connection, which may serve many requests and keeps no listener of them. */
async function untilGone<T>(
  { raw }: FastifyRequest,
  answer: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const gone = new AbortController();
  const leave = () => gone.abort();
  raw.socket.once('close', leave);
  try {
    return await answer(gone.signal);
  } finally {
    raw.socket.off('close', leave);
  }
}

type AnyHandler = (
  of: unknown,
  who: unknown,
  signal: AbortSignal,
) => Promise<Readonly<Record<string, unknown>>>;

function handling(options: PlaneServerOptions) {
  const handlers = {
    ...openHandlers(options),
    ...workerHandlers(options),
    ...executionHandlers(options),
    ...options.more,
  } as Readonly<Partial<Record<PlaneVerb, AnyHandler>>>;
  return async (verb: PlaneVerb, request: FastifyRequest, signal: AbortSignal) => {
    const body = fieldsOf(request.body);
    if (body['wire'] !== planeWire) throw new PlaneRefusal('wire.unsupported');
    const { proof, request: schema } = planeVerbs[verb];
    const who = await proven(options, proof, request);
    const parsed = schema.safeParse(body);
    if (!parsed.success) throw new PlaneRefusal('message.invalid');
    if (proof === 'execution') expectBound(parsed.data, who as ExecutionClaims);
    const handler = handlers[verb];
    if (handler === undefined) throw new PlaneRefusal('verb.unknown');
    return handler(parsed.data, who, signal);
  };
}

async function proven(
  { tokens }: PlaneServerOptions,
  proof: (typeof planeVerbs)[PlaneVerb]['proof'],
  request: FastifyRequest,
): Promise<unknown> {
  if (proof === 'none' || proof === 'code') return null;
  const token = bearerOf(request);
  const answer =
    proof === 'worker' ? await tokens.proveWorker(token) : await tokens.proveExecution(token);
  if (answer.ok) return answer.claims;
  throw new PlaneRefusal(answer.code);
}

/** Every field: a message of another execution, attempt or fence is not this token's (XP-13). */
function expectBound(message: object, { binding }: ExecutionClaims): void {
  const said = (message as { readonly binding: PlaneBinding }).binding;
  const names = Object.keys(said) as (keyof PlaneBinding)[];
  const isSame = names.every((name) => said[name] === binding[name]);
  if (!isSame) throw new PlaneRefusal('token.other');
}

async function refuse(
  options: PlaneServerOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
): Promise<void> {
  const refusal = refusalOf(error);
  if (refusal === null) throw error;
  const { code, isKept } = refusal;
  const body = fieldsOf(request.body);
  const about = aboutOf(body, request);
  const verb = request.url.slice(planePrefix.length + 1, planePrefix.length + 41);
  await options.refusals.record({ verb: verb.split('/')[0] ?? verb, code, isKept, ...about });
  await reply.code(planeRefusals[code].http).header('cache-control', 'no-store').send(bodyOf(code));
}

/** Null: a bug of ours, for whoever runs the server. */
function refusalOf(error: unknown): PlaneRefusal | null {
  if (error instanceof PlaneRefusal) return error;
  if (error instanceof TransientError) return new PlaneRefusal('plane.busy');
  const status = fieldsOf(error)['statusCode'];
  if (status === 413) return new PlaneRefusal('message.too_large');
  return typeof status === 'number' && status >= 400 && status < 500
    ? new PlaneRefusal('message.invalid')
    : null;
}

const textIn = (value: unknown): string | null =>
  typeof value === 'string' ? value.slice(0, 200) : null;

/** The artifact that was asked for; what is no digest is not kept. */
function askedIn(params: unknown): string | null {
  const asked = fieldsOf(params)['digest'];
  return digest.safeParse(asked).data ?? null;
}

/** What the message claims to be about: unproven, kept only if there is such an execution. */
function aboutOf(body: Fields, { headers, params }: FastifyRequest) {
  const binding = fieldsOf(body['binding']);
  return {
    execution: textIn(binding['execution'] ?? body['execution'] ?? headers['pawl-execution']),
    grantId: textIn(binding['grantId'] ?? headers['pawl-grant']),
    digest: textIn(body['seal'] ?? body['body'] ?? askedIn(params)),
  };
}
