/**
 * A model server on loopback that says what a script tells it to, so that a real agent program can
 * be driven without a network, a key or a model. It speaks OpenAI Chat Completions and Responses,
 * streamed and whole, under any path prefix. It holds no state but the list of requests: the turn
 * of an answer follows from the conversation that a request carries.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Api, ServerEvent } from './api.ts';
import { chat } from './chat.ts';
import { type Json, record } from './json.ts';
import { responses } from './responses.ts';
import { type Answer, answer, type ModelRequest, type Script, type Turns } from './script.ts';

export interface ModelServerOptions {
  readonly script: Script;
  /** 0, the usual: any free one. */
  readonly port?: number;
}

/** A request that was answered by the script. */
export interface AnsweredRequest {
  readonly prefix: string;
  readonly api: 'chat' | 'responses';
  readonly request: ModelRequest;
  readonly answer: Answer;
}

export interface ModelServer {
  /** `http://127.0.0.1:<port>`, without a slash at its end; a prefix and `/v1` follow it. */
  readonly url: string;
  /** The answered requests in order; at most the newest 1,000. */
  requests(): readonly AnsweredRequest[];
  /** Ends every open connection, too. */
  close(): Promise<void>;
}

const apis: readonly Api[] = [chat, responses];
const bodyBytesMax = 64 * 1024 * 1024;
const requestsMax = 1_000;

/** Listens when the promise settles. */
export async function modelServer(options: ModelServerOptions): Promise<ModelServer> {
  const answered: AnsweredRequest[] = [];
  const server = createServer((incoming, outgoing) => {
    serve(options.script, incoming, outgoing).then(
      (request) => {
        if (request === null) return;
        answered.push(request);
        if (answered.length > requestsMax) answered.shift();
      },
      (error: unknown) => outgoing.destroy(error instanceof Error ? error : undefined),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', () => resolve());
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests: () => [...answered],
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error === undefined ? resolve() : reject(error)));
        server.closeAllConnections();
      }),
  };
}

async function serve(
  script: Script,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<AnsweredRequest | null> {
  const path = (incoming.url ?? '/').split('?')[0] ?? '/';
  const api = apis.find((candidate) => path.endsWith(candidate.path));
  const found = turnsAt(script, path);
  const text = await bodyOf(incoming);
  if (text === null) return refuse(outgoing, 413, 'the body is too large');
  if (path.endsWith('/models')) return models(outgoing);
  if (api === undefined || incoming.method !== 'POST' || found === null) {
    return refuse(outgoing, 404, `nothing is scripted for ${incoming.method} ${path}`);
  }
  const body = parsed(text);
  if (body === null) return refuse(outgoing, 400, 'the body is not a JSON object');
  const request = api.read(body);
  const said = answer(found.turns, request);
  if (request.isStreamed) sendStream(outgoing, api.stream(said));
  else sendJson(outgoing, 200, api.whole(said));
  return { prefix: found.prefix, api: api.name, request, answer: said };
}

function turnsAt(
  script: Script,
  path: string,
): { readonly prefix: string; readonly turns: Turns } | null {
  const matches = Object.entries(script)
    .filter(([prefix]) => prefix === '' || path === prefix || path.startsWith(`${prefix}/`))
    .sort(([a], [b]) => b.length - a.length);
  const [first] = matches;
  return first === undefined ? null : { prefix: first[0], turns: first[1] };
}

/**
 * Null when it is larger than what any agent sends; it is read to its end, so that we can answer.
 */
async function bodyOf(incoming: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes <= bodyBytesMax) chunks.push(chunk);
  }
  return bytes > bodyBytesMax ? null : Buffer.concat(chunks).toString('utf8');
}

function parsed(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? record(value)
      : null;
  } catch (error: unknown) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function sendJson(outgoing: ServerResponse, status: number, body: Json): void {
  outgoing.writeHead(status, { 'content-type': 'application/json' });
  outgoing.end(JSON.stringify(body));
}

function sendStream(outgoing: ServerResponse, events: readonly ServerEvent[]): void {
  outgoing.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  for (const { event, data } of events) {
    const name = event === null ? '' : `event: ${event}\n`;
    outgoing.write(`${name}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
  }
  outgoing.end();
}

function refuse(outgoing: ServerResponse, status: number, message: string): null {
  sendJson(outgoing, status, { error: { message, type: 'invalid_request_error', code: null } });
  return null;
}

function models(outgoing: ServerResponse): null {
  const only = { id: 'scripted', object: 'model', created: 0, owned_by: 'pawl' };
  sendJson(outgoing, 200, { object: 'list', data: [only] });
  return null;
}
