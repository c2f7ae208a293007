/**
 * A model server on loopback that says what a script tells it to, so that a real agent program can
 * be driven without a network, a key or a model. It speaks Anthropic Messages, OpenAI Chat
 * Completions and Responses, and Gemini, streamed and whole, under any path prefix, and fails in
 * every way that `failures.ts` lists. The turn of an answer follows from the conversation that a
 * request carries; the server itself remembers only the requests and how often a turn has failed.
 */
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Fields, isFields, parsedJson } from '../../kernel/json.ts';
import { anthropic } from './anthropic.ts';
import type { Api } from './api.ts';
import { chat } from './chat.ts';
import {
  everyMsDefault,
  type FailureForm,
  type FailureName,
  failures,
  resetsInSecondsDefault,
} from './failures.ts';
import { gemini } from './gemini.ts';
import { type AnsweredRequest, type RequestLog, requestLog } from './request-log.ts';
import { responses } from './responses.ts';
import { type Answer, answer, type Script, type Turns, usualUsage } from './script.ts';
import { arrayWire, eventWire, send, sendAstray, sendJson, type Wire, wholeWire } from './send.ts';
import { vendorError } from './vendor-errors.ts';

export interface ModelServerOptions {
  readonly script: Script;
  /** 0, the usual: any free one. */
  readonly port?: number;
}

export interface ModelServer {
  /** `http://127.0.0.1:<port>`, without a slash at its end; a prefix and `/v1` follow it. */
  readonly url: string;
  /** What was asked of the script, in order; the newest 1,000 within 64 million characters. */
  requests(): readonly AnsweredRequest[];
  /** How many requests have neither been answered to the end nor given up by their client. */
  open(): number;
  /** Ends every open connection, too. */
  close(): Promise<void>;
}

const apis: readonly Api[] = [anthropic, chat, responses, gemini];
const bodyBytesMax = 64 * 1024 * 1024;
const logBounds = { requestsMax: 1_000, charactersMax: 64 * 1024 * 1024 };
/** So many turns can be in the middle of failing. */
const failingMax = 10_000;

interface Serving {
  readonly script: Script;
  readonly log: RequestLog;
  /** Prefix and turn → how often it has failed. */
  readonly failed: Map<string, number>;
}

/** Listens when the promise settles. */
export async function modelServer(options: ModelServerOptions): Promise<ModelServer> {
  const log = requestLog(logBounds);
  const serving: Serving = { script: options.script, log, failed: new Map() };
  let open = 0;
  const server = createServer((incoming, outgoing) => {
    open += 1;
    outgoing.once('close', () => {
      open -= 1;
    });
    serve(serving, incoming, outgoing).catch((error: unknown) =>
      outgoing.destroy(error instanceof Error ? error : undefined),
    );
  });
  server.on('upgrade', refuseUpgrade);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', () => resolve());
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests: () => log.newest(),
    open: () => open,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error === undefined ? resolve() : reject(error)));
        server.closeAllConnections();
      }),
  };
}

/** No API here speaks over web sockets; a program that tries falls back to plain requests. */
function refuseUpgrade(_: IncomingMessage, socket: Duplex): void {
  socket.on('error', () => socket.destroy());
  socket.end('HTTP/1.1 426 Upgrade Required\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
}

async function serve(
  serving: Serving,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const url = incoming.url ?? '/';
  const path = url.split('?')[0] ?? '/';
  const api = apis.find((candidate) => candidate.path.test(path));
  const found = turnsAt(serving.script, path);
  const text = await bodyOf(incoming);
  if (text === null) return refuse(outgoing, 413, 'the body is too large');
  if (found === null) return refuse(outgoing, 404, `nothing is scripted at ${path}`);
  if (incoming.method === 'HEAD') return empty(outgoing);
  const side = sideAnswer(path);
  if (side !== null) return sendJson(outgoing, { status: 200, body: side });
  if (api === undefined || incoming.method !== 'POST') {
    return refuse(outgoing, 404, `no model API answers ${incoming.method} ${path}`);
  }
  const body = parsed(text);
  if (body === null) return refuse(outgoing, 400, 'the body is not a JSON object');
  const request = api.read(body, path);
  const said = answer(found.turns, request);
  const failure = failureOf(serving, `${found.prefix}#${request.turnsSoFar}`, said);
  const headers = plain(incoming.headers);
  serving.log.add({
    ...{ prefix: found.prefix, api: api.name, path: url, headers, body: text },
    ...{ request, answer: said, failure },
  });
  const framing = /[?&]alt=sse(?:&|$)/.test(url) || api.name !== 'gemini' ? 'events' : 'array';
  const wire = request.isStreamed
    ? streamWire(api, framing, api.stream(said, body))
    : wholeWire(api.whole(said));
  await deliver(outgoing, { api, wire, answer: said, failure });
}

function streamWire(
  api: Api,
  framing: 'events' | 'array',
  events: ReturnType<Api['stream']>,
): Wire {
  return framing === 'array'
    ? arrayWire(events, api.streamError)
    : eventWire(events, api.streamError);
}

interface Delivery {
  readonly api: Api;
  readonly wire: Wire;
  readonly answer: Answer;
  readonly failure: FailureName | null;
}

async function deliver(outgoing: ServerResponse, delivery: Delivery): Promise<void> {
  const { api, wire, answer: said, failure } = delivery;
  if (failure === null) return send(outgoing, wire);
  const form: FailureForm = failures[failure];
  if ('how' in form) {
    const everyMs = said.fails?.everyMs ?? everyMsDefault;
    return sendAstray(outgoing, wire, { ...form, everyMs });
  }
  const inSeconds = said.fails?.resetsInSeconds ?? resetsInSecondsDefault;
  const error = vendorError(api.name, form, { inSeconds, nowMs: Date.now() });
  sendJson(outgoing, error, error.headers);
}

/** Null once the turn has failed as often as it was to. */
function failureOf(serving: Serving, key: string, { fails }: Answer): FailureName | null {
  if (fails === null) return null;
  const { failed } = serving;
  const before = failed.get(key) ?? 0;
  if (before >= (fails.times ?? Number.POSITIVE_INFINITY)) return null;
  failed.set(key, before + 1);
  const [oldest] = failed.keys();
  if (failed.size > failingMax && oldest !== undefined) failed.delete(oldest);
  return fails.by;
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

function parsed(text: string): Fields | null {
  const value = parsedJson(text);
  return isFields(value) ? value : null;
}

function plain(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]),
  );
}

function empty(outgoing: ServerResponse): void {
  outgoing.writeHead(200);
  outgoing.end();
}

function refuse(outgoing: ServerResponse, status: number, message: string): void {
  const body = { error: { message, type: 'invalid_request_error', code: null } };
  sendJson(outgoing, { status, body });
}

/** What programs ask beside: which models there are, and how long a prompt is. */
function sideAnswer(path: string): Fields | null {
  if (path.endsWith('/models')) {
    const only = { id: 'scripted', object: 'model', created: 0, owned_by: 'pawl' };
    return { object: 'list', data: [only], models: [] };
  }
  if (path.endsWith('/messages/count_tokens')) return { input_tokens: usualUsage.inputTokens };
  return path.endsWith(':countTokens') ? { totalTokens: usualUsage.inputTokens } : null;
}
