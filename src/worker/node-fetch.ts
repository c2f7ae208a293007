/**
 * What a worker needs of `fetch`, by Node's own client over connections that are kept: its calls
 * are many and small, and each costs a part of what it costs by `fetch` (docs/scale.md).
 *
 * Promises: nothing is followed elsewhere; the body comes as it arrives; what the system says of a
 * failure is the error itself.
 */
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';

export interface Asked {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | string | null;
  readonly signal: AbortSignal;
  readonly redirect: 'error';
}

export interface Answered {
  readonly status: number;
  readonly ok: boolean;
  readonly body: AsyncIterable<Uint8Array> | null;
}

/** `fetch` itself is one. */
export type Fetch = (url: string, asked: Asked) => Promise<Answered>;

/** Idle so long a connection is closed here, before any server would: none dies as it is used. */
const idleMs = 4_000;
const kept = { keepAlive: true, timeout: idleMs };

export function nodeFetch(): Fetch {
  const plain = new HttpAgent(kept);
  const secure = new HttpsAgent(kept);
  return async (url, { method, headers, body, signal }) => {
    const isTls = url.startsWith('https:');
    const length = body === null ? {} : { 'content-length': Buffer.byteLength(body) };
    const how = { method, signal, headers: { ...headers, ...length } };
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = isTls
        ? httpsRequest(url, { ...how, agent: secure }, resolve)
        : httpRequest(url, { ...how, agent: plain }, resolve);
      sent.once('error', reject);
      sent.end(body);
    });
    const status = response.statusCode ?? 0;
    return { status, ok: status >= 200 && status < 300, body: response };
  };
}
