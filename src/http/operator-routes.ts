/** The operator endpoints as routes: one for each row of the table of operations. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Operation } from '../contract/operator/operation.ts';
import { operations } from '../contract/operator/operations.ts';
import { readRequest } from '../contract/operator/read-request.ts';
import { ProductError, RequestError, TransientError } from '../kernel/errors.ts';
import { invariant } from '../kernel/invariant.ts';
import type { Position } from '../ports/store.ts';
import type { RunId } from '../ports/words.ts';
import { type Caller, callers } from './callers.ts';
import { type DoneOnce, doneOnce } from './done-once.ts';
import { type EventSource, streamEvents } from './event-stream.ts';
import {
  artifactOf,
  type Handlers,
  idOf,
  type JsonOperation,
  operatorHandlers,
} from './operator-handlers.ts';
import type { OperatorOptions } from './operator-options.ts';
import { sinkOf } from './response-sink.ts';
import type { Routes } from './server.ts';

const streamsUsual = 64;

export function operatorRoutes(options: OperatorOptions): Routes {
  const callersOf = callers(options);
  const known = new WeakMap<FastifyRequest, Caller>();
  const once = doneOnce({ instance: options.instance, now: options.now });
  const handlers = operatorHandlers(options);
  const asking = (request: FastifyRequest): Promise<Caller> =>
    callersOf.of(request.headers.authorization);
  return (app) => {
    // Of who has no token not even the body is read, whatever the route.
    app.addHook('onRequest', async (request, reply) => {
      reply.header('pawl-instance', options.instance);
      known.set(request, await asking(request));
    });
    for (const name of Object.keys(handlers) as JsonOperation[]) {
      const row: Operation = operations[name];
      app.route({
        method: row.method,
        url: row.path,
        handler: async (request) => {
          const caller = known.get(request);
          invariant(caller !== undefined, 'nobody is answered before his token is checked');
          return answer({ name, row, once, handlers }, request, caller);
        },
      });
    }
    app.get(operations.artifact.path, async (request, reply) => {
      const { digest } = readRequest(operations.artifact.params, request.params, 'path');
      readRequest(operations.artifact.query, request.query, 'query');
      const bytes = await artifactOf(options.client, digest);
      return reply.type('application/octet-stream').send(Buffer.from(bytes));
    });
    app.get(operations.follow.path, follower(options, asking));
  };
}

interface Answering {
  readonly name: JsonOperation;
  readonly row: Operation;
  readonly once: DoneOnce;
  readonly handlers: Handlers;
}

async function answer(
  { name, row, once, handlers }: Answering,
  request: FastifyRequest,
  caller: Caller,
): Promise<unknown> {
  // The row and the handler are of one name, which the types cannot follow through a loop.
  const handle = handlers[name] as (input: unknown, caller: Caller) => Promise<unknown>;
  const params = readRequest(row.params, request.params, 'path');
  const query = readRequest(row.query, request.query, 'query');
  if (row.method === 'GET') return handle({ params, query, body: undefined }, caller);
  const body = readRequest(row.body, request.body ?? {}, 'body');
  const keyed = {
    key: headerOf(request, 'idempotency-key'),
    instance: headerOf(request, 'pawl-instance'),
    caller: caller.token.id,
    body: [name, params, body],
  };
  return once.run(keyed, () => handle({ params, query, body }, caller));
}

function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
}

/** Bounded in number, ended with the server, cut when its reader does not read. */
function follower(options: OperatorOptions, asking: (request: FastifyRequest) => Promise<Caller>) {
  const { streamsMax = streamsUsual } = options;
  let open = 0;
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const query = readRequest(operations.follow.query, request.query, 'query');
    const { after } = readRequest(
      operations.follow.query,
      lastIdOf(request) ?? {},
      'last-event-id',
    );
    const source = await sourceOf(options, query.run);
    // Asked before the answer begins, so that a wrong place is refused like anything else.
    const place = after ?? query.after ?? null;
    await mustBePlace(source, place);
    if (open >= streamsMax) {
      throw new TransientError('server_full', `${streamsMax} followers are connected`);
    }
    open += 1;
    reply.hijack();
    const { sink, signal, end } = sinkOf(reply.raw, options.signal);
    try {
      await streamEvents({
        ...{ source, sink, signal },
        clock: options.clock,
        after: place,
        mayGoOn: async () => {
          try {
            await asking(request);
            return true;
          } catch (error: unknown) {
            // Revoked or expired meanwhile: whoever reconnects is told which.
            if (error instanceof RequestError) return false;
            throw error;
          }
        },
      });
    } catch (error: unknown) {
      // Nobody else hears of it: the answer has begun. Who reconnects is told of what lasts.
      if (!(error instanceof ProductError)) options.onBug(error);
    } finally {
      open -= 1;
      end();
    }
  };
}

function lastIdOf(request: FastifyRequest): { readonly after: string } | null {
  const id = headerOf(request, 'last-event-id');
  return id === undefined || id === '' ? null : { after: id };
}

async function sourceOf(
  { client, store }: OperatorOptions,
  reference: string | undefined,
): Promise<EventSource> {
  if (reference === undefined) {
    return {
      page: (after, limit) => store.eventsAfter(after as Position | null, limit),
      placeOf: ({ position }) => position,
      reaches: (place) => store.reaches(place as Position),
      hints: store.hints,
    };
  }
  const run: RunId = await idOf(client, reference);
  return {
    page: (after, limit) => client.events(run, versionIn(after), limit),
    placeOf: ({ version }) => `${version}`,
    reaches: async (place) => {
      const { version } = await client.find({ text: run, project: null });
      return versionIn(place) <= version;
    },
    hints: store.hints,
  };
}

/** @throws RequestError `bad_value`: no place of this store. */
async function mustBePlace(source: EventSource, place: string | null): Promise<void> {
  await source.page(place, 1);
  if (place === null || Number(place) === 0 || (await source.reaches(place))) return;
  throw beyondTheEnd(place);
}

/** Silence would be all that it heard: the store is another than the one that sent it. */
const beyondTheEnd = (place: string): RequestError =>
  new RequestError('bad_value', 'no event of this store has that id, nor comes after it', {
    where: 'last-event-id',
    found: place,
    so: 'the store is another, or was brought back from a backup',
    next: 'follow without it, from the first event on',
  });

/** Within a run the version is the place. */
function versionIn(place: string | null): number {
  if (place === null) return 0;
  if (/^\d{1,15}$/.test(place)) return Number(place);
  throw new RequestError('bad_value', 'of one run the id of an event is a number', {
    where: 'last-event-id',
    found: place,
  });
}
