/**
 * One call of the worker plane: closed and bounded both ways, with a deadline. What the server
 * refused is an answer; what nobody answered is a {@link TransientError}, which is no refusal and
 * is tried again only where the same again is the same.
 */
import {
  type PlaneReply,
  type PlaneRequest,
  type PlaneVerb,
  planePrefix,
  planeVerbs,
} from '../contract/plane.ts';
import {
  isRefusalCode,
  type PlaneRefusalCode,
  planeRefusals,
  refusalBody,
} from '../contract/plane-refusals.ts';
import { connectionTrouble } from '../kernel/connection-trouble.ts';
import { TransientError, WorldError } from '../kernel/errors.ts';
import { fieldsOf, parsedJson } from '../kernel/json.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import { type Answered, type Fetch, nodeFetch } from './node-fetch.ts';

export interface PlaneCallOptions {
  /**
   * `https://pawl.example:4242`; a path before `/plane` is kept. Several are of one store: where
   * one does not answer, the next call, or the next try of this one, goes to the next.
   */
  readonly servers: readonly [string, ...string[]];
  readonly clock: Pick<Clock, 'sleep'>;
  readonly ids: Pick<Ids, 'fraction'>;
  readonly fetch?: Fetch;
  /** Longest that one try waits for its answer, beside a poll's own wait. */
  readonly callMs?: number;
  /** Aborts every call: the worker stops. */
  readonly signal?: AbortSignal;
}

export type Called<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly code: PlaneRefusalCode };

export interface Try {
  readonly token?: string;
  /** The same again is the same: tried at most this often. */
  readonly tries?: number;
  readonly waitMs?: number;
}

export interface PlaneCaller {
  call<V extends PlaneVerb>(
    verb: V,
    message: PlaneRequest<V>,
    how?: Try,
  ): Promise<Called<PlaneReply<V>>>;
  /** Bytes under a path of the plane, with the same rules. */
  bytes(request: BytesRequest): Promise<Called<Uint8Array>>;
}

export interface BytesRequest {
  readonly method: 'GET' | 'PUT';
  readonly path: string;
  readonly token: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly tries: number;
  readonly bytesMax: number;
}

const callMsByDefault = 10_000;
const replyBytesMax = 8 * 1024 * 1024;
const backOffMs = 200;
const backOffMsMax = 3_000;

interface Sent {
  readonly method: 'GET' | 'PUT' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | string | null;
  readonly waitMs: number;
  readonly bytesMax: number;
}

interface CallOptions extends PlaneCallOptions {
  readonly fetch: Fetch;
  readonly turn: Turn;
}

export function planeCaller(given: PlaneCallOptions): PlaneCaller {
  const options: CallOptions = { ...given, fetch: given.fetch ?? nodeFetch(), turn: { at: 0 } };
  return {
    async call(verb, message, how = {}) {
      const sent: Sent = {
        method: 'POST',
        path: `${planePrefix}/${verb}`,
        headers: { 'content-type': 'application/json', ...bearer(how.token) },
        body: JSON.stringify(message),
        waitMs: how.waitMs ?? 0,
        bytesMax: replyBytesMax,
      };
      const reply = await tried(options, sent, how.tries ?? 1);
      if (!reply.ok) return reply;
      const parsed = planeVerbs[verb].answer.safeParse(jsonOf(reply.value));
      if (!parsed.success) throw notOfContract(verb);
      return { ok: true, value: parsed.data as PlaneReply<typeof verb> };
    },
    bytes: ({ method, path, token, headers, body, tries, bytesMax }) => {
      const type = body === undefined ? {} : { 'content-type': 'application/octet-stream' };
      const all = { ...headers, ...type, ...bearer(token) };
      const sent = { method, path, headers: all, body: body ?? null, waitMs: 0, bytesMax };
      return tried(options, sent, tries);
    },
  };
}

const bearer = (token: string | undefined): Readonly<Record<string, string>> =>
  token === undefined ? {} : { authorization: `Bearer ${token}` };

/** Which server has the next call. */
interface Turn {
  at: number;
}

/** Full jitter between tries; a refusal is final, whatever its number. */
async function tried(options: CallOptions, sent: Sent, tries: number): Promise<Called<Uint8Array>> {
  const { servers, turn } = options;
  for (let n = 1; ; n += 1) {
    const { at } = turn;
    try {
      return await once(options, sent, servers[at] ?? servers[0]);
    } catch (error: unknown) {
      // Several calls that fail at once leave it together.
      if (turn.at === at) turn.at = (at + 1) % servers.length;
      if (!(error instanceof TransientError) || n >= tries || options.signal?.aborted) throw error;
      const pause = Math.min(backOffMs * 2 ** n, backOffMsMax) * options.ids.fraction();
      await options.clock.sleep(pause, options.signal);
    }
  }
}

async function once(options: CallOptions, sent: Sent, server: string): Promise<Called<Uint8Array>> {
  const deadline = AbortSignal.timeout((options.callMs ?? callMsByDefault) + sent.waitMs);
  const signal =
    options.signal === undefined ? deadline : AbortSignal.any([deadline, options.signal]);
  try {
    const response = await options.fetch(`${server.replace(/\/+$/, '')}${sent.path}`, {
      method: sent.method,
      headers: sent.headers,
      body: sent.body,
      redirect: 'error',
      signal,
    });
    const bytes = await bounded(response, sent.bytesMax);
    return response.ok ? { ok: true, value: bytes } : refusedBy(response.status, bytes);
  } catch (error: unknown) {
    if (error instanceof TransientError || error instanceof WorldError) throw error;
    throw unanswered(server, error);
  }
}

/** With what the system says of it: a certificate that is not trusted is no server that is away. */
function unanswered(server: string, error: unknown): TransientError {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = fieldsOf(cause)['code'];
  const found = typeof code === 'string' ? { found: code } : {};
  const trouble = connectionTrouble(found.found ?? '');
  const details = trouble === null ? found : { ...found, next: trouble.next };
  const why = trouble === null ? '' : `: ${trouble.what}`;
  return new TransientError('plane_unreachable', `no answer from ${server}${why}`, details, error);
}

function refusedBy(status: number, bytes: Uint8Array): Called<never> {
  const refusal = refusalBody.safeParse(jsonOf(bytes));
  const code = refusal.success ? refusal.data.code : null;
  if (code !== null && isRefusalCode(code) && !(planeRefusals[code].http === 503)) {
    return { ok: false, code };
  }
  // A proxy, a server that is going down, or one that is busy: nobody has decided anything.
  throw new TransientError('plane_unreachable', `the server answered ${status}`);
}

async function bounded({ body }: Answered, bytesMax: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  if (body === null) return new Uint8Array();
  for await (const chunk of body) {
    length += chunk.byteLength;
    if (length > bytesMax) throw notOfContract('an answer that is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const jsonOf = (bytes: Uint8Array): unknown => parsedJson(Buffer.from(bytes).toString('utf8'));

const notOfContract = (what: string): WorldError =>
  new WorldError('plane_refused', `the server answered what the plane does not know: ${what}`, {
    next: 'Use the same release of pawl on the server and on the worker.',
  });
