/**
 * Artifacts of an execution elsewhere. An upload is taken in whole before anything is written, its
 * bytes are counted and digested, and only then put: one that is cut off, too long or not what its
 * digest says leaves nothing that anybody could see.
 */
import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { planeHeaders, putKinds } from '../../contract/plane.ts';
import { digest as digestForm, limits, planeWire } from '../../contract/plane-words.ts';
import { planeArtifacts } from '../../engine/plane-artifacts.ts';
import type { ArtifactKind } from '../../ports/artifacts.ts';
import type { Digest, ExecutionId, RunId } from '../../ports/words.ts';
import { bearerOf } from './bearer.ts';
import { current } from './execution-handlers.ts';
import type { PlaneServerOptions } from './options.ts';
import { PlaneRefusal } from './refusal.ts';

const bodyLimit = limits.artifactBytes;
const path = '/artifacts/:digest';

export async function artifactRoutes(
  app: FastifyInstance,
  options: PlaneServerOptions,
): Promise<void> {
  const { artifacts } = options.engine;
  const allowed = planeArtifacts(options.engine);
  app.addContentTypeParser(
    'application/octet-stream',
    { parseAs: 'buffer', bodyLimit },
    (_request, body, done) => done(null, body),
  );
  // Before the body is read: nobody unknown makes a server hold 64 MB.
  const onRequest = (request: FastifyRequest) => expectAllowed(options, request);
  app.put(path, { bodyLimit, onRequest }, async (request, reply) => {
    const digest = digestIn(request);
    const bytes = Buffer.isBuffer(request.body) ? request.body : null;
    if (bytes === null) throw new PlaneRefusal('message.invalid');
    const found = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    if (found !== digest) throw new PlaneRefusal('artifact.mismatch');
    const kind = kindOf(request);
    await artifacts.put(bytes, kind);
    await allowed.allow(boundIn(request).execution, digest);
    return reply.send({ ok: true });
  });
  app.get(path, { onRequest }, async (request, reply) => {
    const digest = digestIn(request);
    // One of another run is answered as one that is not here: nobody learns what there is.
    const mayRead = await allowed.mayRead(boundIn(request), digest);
    const bytes = mayRead ? await artifacts.get(digest) : null;
    if (bytes === null) throw new PlaneRefusal('artifact.unknown');
    return reply
      .header('content-type', 'application/octet-stream')
      .header('cache-control', 'no-store')
      .send(Buffer.from(bytes));
  });
}

/** Of whom its proven token speaks; set before the body is read. */
const bindings = new WeakMap<FastifyRequest, Bound>();

interface Bound {
  readonly run: RunId;
  readonly execution: ExecutionId;
}

function boundIn(request: FastifyRequest): Bound {
  const bound = bindings.get(request);
  if (bound === undefined) throw new PlaneRefusal('token.missing');
  return bound;
}

/** The token, what the headers say, and the grant row: in this order. */
async function expectAllowed(options: PlaneServerOptions, request: FastifyRequest): Promise<void> {
  if (request.headers[planeHeaders.wire] !== String(planeWire)) {
    throw new PlaneRefusal('wire.unsupported');
  }
  const proof = await options.tokens.proveExecution(bearerOf(request));
  if (!proof.ok) throw new PlaneRefusal(proof.code);
  const { binding } = proof.claims;
  const isSame =
    request.headers[planeHeaders.execution] === binding.execution &&
    request.headers[planeHeaders.grant] === binding.grantId;
  if (!isSame) throw new PlaneRefusal('token.other');
  await current(options, binding);
  const { run, execution } = binding;
  bindings.set(request, { run: run as RunId, execution: execution as ExecutionId });
}

function digestIn(request: FastifyRequest): Digest {
  const digest = digestForm.safeParse((request.params as { digest?: unknown }).digest);
  if (!digest.success) throw new PlaneRefusal('message.invalid');
  return digest.data as Digest;
}

function kindOf(request: FastifyRequest): ArtifactKind {
  const kind = request.headers[planeHeaders.kind];
  const known = putKinds.find((one) => one === kind);
  if (known === undefined) throw new PlaneRefusal('message.invalid');
  return known;
}
