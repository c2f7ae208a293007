/**
 * The base of every HTTP surface of a server: who may ask at all, how much, for how long, and how
 * errors are told. What is answered are `routes`; each checks for itself who asks.
 */
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type FastifyInstance, type FastifyReply, fastify } from 'fastify';
import { RequestError, WorldError } from '../kernel/errors.ts';
import { fieldsOf } from '../kernel/json.ts';
import { guard } from './guard.ts';
import { type Told, toldError } from './problem.ts';

export type Routes = (app: FastifyInstance) => void | Promise<void>;

export interface HttpServerOptions {
  readonly listen: { readonly host: string; readonly port: number };
  /** PEM; null: not encrypted. */
  readonly tls: { readonly cert: string; readonly key: string } | null;
  /** Names that clients call this server by, beside addresses and `localhost`. */
  readonly names: readonly string[];
  readonly routes: readonly Routes[];
  /** A bug of ours: told to whoever runs the server, never to whoever asked. */
  readonly onBug: (error: unknown) => void;
  /** Each request when it was answered. */
  readonly onAnswer?: (seen: Answered) => void;
  readonly limits?: Partial<HttpLimits>;
}

export interface Answered {
  readonly method: string;
  /** The pattern of the path (`/v1/runs/:run`), so that their number is bounded. */
  readonly route: string;
  readonly status: number;
  readonly ms: number;
}

export interface HttpLimits {
  readonly bodyBytes: number;
  readonly headerBytes: number;
  readonly headersMs: number;
  /** For the whole of a request to come in. */
  readonly requestMs: number;
  readonly keepAliveMs: number;
  readonly connections: number;
  /** What is being answered has this long when the server closes. */
  readonly closeMs: number;
}

export const httpLimits: HttpLimits = {
  bodyBytes: 4 * 1024 * 1024,
  headerBytes: 16 * 1024,
  headersMs: 15_000,
  requestMs: 120_000,
  keepAliveMs: 30_000,
  connections: 1_024,
  closeMs: 5_000,
};

export interface HttpServer {
  /** `http://127.0.0.1:7295`, with the port that was got. */
  readonly url: string;
  /** Takes no more, lets what is being answered end for a while, then cuts it. */
  close(): Promise<void>;
}

/** @throws WorldError `port_taken`, `listen_failed`. */
export async function httpServer(options: HttpServerOptions): Promise<HttpServer> {
  const limits = { ...httpLimits, ...options.limits };
  const app = appOf(options, limits);
  for (const routes of options.routes) await app.register(async (scope) => routes(scope));
  const { host, port } = options.listen;
  try {
    await app.listen({ host, port });
  } catch (error: unknown) {
    await app.close();
    throw listenError(error, `${host}:${port}`);
  }
  return {
    url: urlOf(app, options),
    close: async () => {
      const cut = setTimeout(() => app.server.closeAllConnections(), limits.closeMs);
      try {
        await app.close();
      } finally {
        clearTimeout(cut);
      }
    },
  };
}

function appOf(options: HttpServerOptions, limits: HttpLimits): FastifyInstance {
  const app = fastify({
    logger: false,
    bodyLimit: limits.bodyBytes,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 200, ignoreTrailingSlash: false },
    serverFactory: (listener) => socketOf(options, limits, listener),
    frameworkErrors: (error, _request, reply) => tell(reply, toldError(error)),
  });
  const check = guard({ names: options.names });
  app.addHook('onRequest', async ({ headers }) => {
    const site = headers['sec-fetch-site'];
    const { host, origin } = headers;
    check({ host, origin, site: typeof site === 'string' ? site : undefined });
  });
  app.addHook('onSend', async (_request, reply) => {
    reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff');
  });
  const { onAnswer } = options;
  if (onAnswer !== undefined) {
    app.addHook('onResponse', async ({ method, routeOptions }, reply) => {
      const { statusCode: status, elapsedTime: ms } = reply;
      onAnswer({ method, route: routeOptions.url ?? 'none', status, ms });
    });
  }
  onlyJson(app);
  app.setErrorHandler((error, { routeOptions }, reply) => {
    const told = toldError(error, routeOptions);
    if (told.body.code === 'internal_error') options.onBug(error);
    return tell(reply, told);
  });
  app.setNotFoundHandler((request, reply) => {
    const found = `${request.method} ${request.url.split('?')[0]?.slice(0, 200)}`;
    return tell(
      reply,
      toldError(new RequestError('unknown_endpoint', 'no such endpoint', { found })),
    );
  });
  return app;
}

/** Text and forms, which pages of other sites can send unasked, are refused. */
function onlyJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, parse);
}

const tell = (reply: FastifyReply, { status, body }: Told) =>
  reply.code(status).type('application/json; charset=utf-8').send(body);

function socketOf(
  { tls }: HttpServerOptions,
  limits: HttpLimits,
  listener: Parameters<typeof createServer>[1],
): Server {
  const bounds = {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: 5_000,
  };
  // The interface of both servers is the same for whoever answers requests.
  const server =
    tls === null
      ? createServer(bounds, listener)
      : (createTlsServer({ ...bounds, ...tls, minVersion: 'TLSv1.2' }, listener) as Server);
  server.maxConnections = limits.connections;
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    const isLate = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
    const code = isLate ? 'request_timeout' : 'request_invalid';
    const { status, body } = toldError(new RequestError(code, 'the request cannot be read'));
    const text = JSON.stringify(body);
    const head = [
      `HTTP/1.1 ${status} ${isLate ? 'Request Timeout' : 'Bad Request'}`,
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(text)}`,
      'connection: close',
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${text}`);
  });
  return server;
}

function urlOf(app: FastifyInstance, { listen, tls }: HttpServerOptions): string {
  const address = fieldsOf(app.server.address());
  const host = listen.host.includes(':') ? `[${listen.host}]` : listen.host;
  return `${tls === null ? 'http' : 'https'}://${host}:${String(address['port'])}`;
}

function listenError(error: unknown, found: string): unknown {
  if (!(error instanceof Error && 'code' in error)) return error;
  const code = error.code === 'EADDRINUSE' ? 'port_taken' : 'listen_failed';
  const what = code === 'port_taken' ? 'another process listens there' : 'nothing can listen there';
  return new WorldError(
    code,
    what,
    { where: '--listen', found: `${found} (${error.code})` },
    error,
  );
}
