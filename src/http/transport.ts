/**
 * One request to a server and its answer, by Node's own client: bounded in time and size, over
 * connections that are kept. A command that may have reached the server is sent again only to the
 * very process that was asked first, which answers what it did the first time.
 */
import { randomUUID } from 'node:crypto';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { connectionTrouble } from '../kernel/connection-trouble.ts';
import { ProductError, RequestError, TransientError } from '../kernel/errors.ts';

export interface TransportOptions {
  /** `http://host:port`, without a path. */
  readonly url: string;
  /** The secret of an operator token; asked for each request. */
  readonly secret: () => Promise<string | null>;
}

export interface Sent {
  readonly method: 'GET' | 'POST';
  /** With the query. */
  readonly path: string;
  readonly body?: unknown;
  readonly isLong: boolean;
}

export interface Received {
  readonly status: number;
  readonly bytes: Buffer;
}

export interface Transport {
  /** @throws TransientError `server_unreachable`. @throws RequestError `outcome_unknown`. */
  send(sent: Sent): Promise<Received>;
  close(): void;
}

const usualMs = 30_000;
/** A landing verifies first: as long as checks may take. */
const longMs = 4 * 3_600_000;
const answerBytesMax = 256 * 1024 * 1024;
const triesMax = 3;

export function transport(options: TransportOptions): Transport {
  const url = new URL(options.url);
  const isTls = url.protocol === 'https:';
  const agent = isTls ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
  let instance: string | null = null;

  const once = async (sent: Sent, headers: Headers): Promise<Received> => {
    const text = sent.body === undefined ? null : JSON.stringify(sent.body);
    const asked = {
      method: sent.method,
      agent,
      headers: {
        ...headers,
        ...(text === null ? {} : bodyHeaders(text)),
      },
    };
    const where = new URL(sent.path, url);
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const going = begun(() => (isTls ? httpsRequest : httpRequest)(where, asked, resolve));
      const ms = sent.isLong ? longMs : usualMs;
      going.setTimeout(ms, () => going.destroy(new TimeIsOver(`no answer for ${ms / 1_000} s`)));
      let isConnected = false;
      going.on('socket', (socket) => {
        const onConnect = (): void => {
          isConnected = true;
        };
        if (socket.connecting) socket.once(isTls ? 'secureConnect' : 'connect', onConnect);
        else onConnect();
      });
      going.on('error', (error) => reject(isConnected ? error : new NeverArrived(error)));
      going.end(text ?? undefined);
    });
    const named = response.headers['pawl-instance'];
    if (typeof named === 'string') instance = named;
    return { status: response.statusCode ?? 0, bytes: await bytesOf(response) };
  };

  const attempt = async (sent: Sent, headers: Headers, tries: number): Promise<Received> => {
    const first = instance;
    const again: Headers = tries > 1 && first !== null ? { 'pawl-instance': first } : {};
    try {
      return await once(sent, { ...headers, ...again });
    } catch (error: unknown) {
      if (tries < triesMax && mayAskAgain(error, sent, first))
        return attempt(sent, headers, tries + 1);
      throw brokenOff(error, url, isUnsure(error, sent));
    }
  };
  return {
    close: () => agent.destroy(),
    send: async (sent) => {
      const secret = await options.secret();
      const token = secret === null ? {} : { authorization: `Bearer ${secret}` };
      const key = sent.method === 'GET' ? {} : { 'idempotency-key': randomUUID() };
      return attempt(sent, { ...token, ...key }, 1);
    },
  };
}

type Headers = Readonly<Record<string, string>>;

const isUnsure = (error: unknown, { method }: Sent): boolean =>
  method === 'POST' && !(error instanceof NeverArrived);

/** Only the process that was asked first knows what became of a command. */
const mayAskAgain = (error: unknown, sent: Sent, first: string | null): boolean =>
  !(rootOf(error) instanceof TimeIsOver || error instanceof ProductError) &&
  (isUnsure(error, sent) ? first !== null : sent.method === 'GET');

class TimeIsOver extends Error {}

/** There was no connection, or the certificate was not trusted: nothing could be read there. */
class NeverArrived extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause });
  }
}

/** A header that cannot be sent is refused before there is a connection. */
function begun<T>(begin: () => T): T {
  try {
    return begin();
  } catch (error: unknown) {
    throw error instanceof Error ? new NeverArrived(error) : error;
  }
}

const rootOf = (error: unknown): unknown => (error instanceof NeverArrived ? error.cause : error);

const bodyHeaders = (text: string): Record<string, string> => ({
  'content-type': 'application/json',
  'content-length': `${Buffer.byteLength(text)}`,
});

async function bytesOf(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > answerBytesMax) {
      response.destroy();
      throw new RequestError('server_unlike', 'the answer is larger than any of ours');
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function brokenOff(error: unknown, url: URL, wasSent: boolean): unknown {
  if (!(error instanceof Error) || error instanceof ProductError) return error;
  const found = `${url.origin}: ${codeOf(error) || error.message}`;
  if (wasSent) {
    const what = 'the connection broke before the server answered';
    return new RequestError('outcome_unknown', what, { found }, error);
  }
  const trouble = connectionTrouble(codeOf(error));
  if (trouble === null) {
    return new TransientError('server_unreachable', 'no server answers', { found }, error);
  }
  const { what, next } = trouble;
  return new TransientError(
    'server_unreachable',
    `nothing is asked: ${what}`,
    { found, next },
    error,
  );
}

function codeOf(error: unknown): string {
  const root = rootOf(error);
  return root instanceof Error && 'code' in root ? String(root.code) : '';
}
