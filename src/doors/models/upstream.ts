/**
 * A model service as this door reaches it: a pinned address, a credential that was resolved once,
 * connections that are kept. Redirects are not followed; no other address is ever asked.
 */
import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { RequestError } from '../../kernel/errors.ts';
import type {
  DoorMode,
  DoorRequest,
  ModelVendor,
  UpstreamTarget,
} from '../../ports/models-door.ts';
import { type Price, priceOf } from './price.ts';

export interface Service {
  readonly vendor: ModelVendor;
  /** Null in mode `pass`. */
  readonly credential: string | null;
  readonly price: Price;
  send(request: Outbound): Sent;
  close(): void;
}

export interface Outbound {
  readonly method: string;
  /** Of the lane, with the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
}

export interface Sent {
  /** The head of the answer. Rejects when there is none. */
  readonly answer: Promise<IncomingMessage>;
  destroy(): void;
}

const loopback = ['127.0.0.1', 'localhost', '[::1]'];
const socketsMax = 256;

/**
 * The services of a door, each with its key.
 * @throws RequestError `bad_value` for an address that a key must not be sent to.
 */
export async function servicesFor(
  request: Pick<DoorRequest, 'mode' | 'upstreams'>,
  credential: Credential,
): Promise<ReadonlyMap<ModelVendor, Service>> {
  const services = new Map<ModelVendor, Service>();
  for (const vendor of vendors) {
    const target = request.upstreams[vendor];
    if (target === undefined) continue;
    services.set(vendor, await serviceOf(vendor, target, { mode: request.mode, credential }));
  }
  return services;
}

const vendors: readonly ModelVendor[] = ['anthropic', 'openai', 'google'];

type Credential = (reference: string) => Promise<string>;
interface Means {
  readonly mode: DoorMode;
  readonly credential: Credential;
}

async function serviceOf(
  vendor: ModelVendor,
  target: UpstreamTarget,
  means: Means,
): Promise<Service> {
  const base = addressOf(target.base);
  const credential = await keyOf(vendor, target, means);
  const isSecure = base.protocol === 'https:';
  const agent = new (isSecure ? HttpsAgent : HttpAgent)({
    keepAlive: true,
    maxSockets: socketsMax,
  });
  const send = isSecure ? httpsRequest : httpRequest;
  const front = base.pathname.replace(/\/+$/, '');
  const strip = target.stripPrefix ?? '';
  const start = (outbound: Outbound) => {
    const { path, method, headers } = outbound;
    const rest = path.startsWith(strip) ? path.slice(strip.length) : path;
    return send({
      agent,
      protocol: base.protocol,
      hostname: base.hostname.replace(/^\[|\]$/g, ''),
      port: base.port,
      method,
      path: `${front}${rest}`,
      headers,
    });
  };
  return {
    vendor,
    credential,
    price: priceOf({ vendor, base: target.base, ...pricedAs(target) }),
    send: (outbound) => sent(() => start(outbound), outbound.body),
    close: () => agent.destroy(),
  };
}

/**
 * A kept connection may have been closed by the service just as it was taken; such a request never
 * arrived, and is sent again once, on a fresh connection if need be.
 */
function sent(start: () => ClientRequest, body: Buffer | null): Sent {
  let request = start();
  let isDestroyed = false;
  const answer = answerTo(request, body).catch((error: unknown) => {
    const isStale = request.reusedSocket && (error as NodeJS.ErrnoException).code === 'ECONNRESET';
    if (!isStale || isDestroyed) throw error;
    request = start();
    return answerTo(request, body);
  });
  // Who destroys a request does not wait for its answer.
  answer.catch(() => undefined);
  return {
    answer,
    destroy() {
      isDestroyed = true;
      request.destroy();
    },
  };
}

function answerTo(request: ClientRequest, body: Buffer | null): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve);
    // Also heard after the answer began, where its own end tells the rest.
    request.on('error', reject);
    request.once('close', () => reject(new Error('the connection was closed')));
    request.end(body ?? undefined);
  });
}

function addressOf(base: string): URL {
  const url = URL.canParse(base) ? new URL(base) : null;
  const where = 'models.upstreams';
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new RequestError('bad_value', 'a model service has no usable address', {
      where,
      found: base,
      allowed: 'https://…',
    });
  }
  if (url.protocol === 'http:' && !loopback.includes(url.hostname)) {
    throw new RequestError('bad_value', 'a key is not sent over plain http', {
      where,
      found: `http://${url.host}`,
      allowed: 'https://…, or http:// to this machine',
    });
  }
  if (url.username !== '' || url.password !== '' || url.search !== '') {
    throw new RequestError('bad_value', 'an address of a model service holds no key', {
      where,
      found: `${url.protocol}//${url.host}`,
      allowed: 'an address without user, password and query; the key is a credential reference',
    });
  }
  return url;
}

async function keyOf(
  vendor: ModelVendor,
  target: UpstreamTarget,
  means: Means,
): Promise<string | null> {
  if (means.mode === 'pass') return null;
  if (target.credential === null) {
    throw new RequestError('credential_missing', `the key for ${vendor} is not named`, {
      where: `models.upstreams.${vendor}`,
      allowed: 'a credential reference: env:NAME, file:PATH or command:ARGV',
    });
  }
  const key = await means.credential(target.credential);
  // What a header cannot carry would fail later and be printed then.
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new RequestError('credential_missing', `the key for ${vendor} is not one line of text`, {
      where: target.credential,
    });
  }
  return key;
}

const pricedAs = ({ pricedAs: id }: UpstreamTarget) => (id === undefined ? {} : { pricedAs: id });
