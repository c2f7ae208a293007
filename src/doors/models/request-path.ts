/**
 * The way of a request that was let in: where it goes, what it carries, whether it may pass.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ModelApi, ModelVendor } from '../../ports/models-door.ts';
import { allowedQuery, type Route, routeOf, vendorOf } from './api.ts';
import { askedIn } from './asked.ts';
import type { Entered } from './entry.ts';
import { exchange } from './exchange.ts';
import { credentialHeader, towardsService } from './headers.ts';
import { type Inbound, type Intake, intake } from './inbound.ts';
import { modelCall } from './model-call.ts';
import { type DoorParts, refused, refusedNow } from './parts.ts';
import { gatewayError, refusal } from './refusal.ts';
import { answerWith, type Reply } from './reply.ts';
import type { Outbound, Service } from './upstream.ts';

export interface Served extends Entered {
  readonly incoming: IncomingMessage;
  readonly lane: ServerResponse;
}

export function requestPath(
  door: DoorParts,
  services: ReadonlyMap<ModelVendor, Service>,
): (served: Served) => Promise<void> {
  const bodies = intake();
  return async (served) => {
    const reply = await replyTo({ door, services, bodies }, served);
    if (reply !== null) answerWith(served.lane, reply);
  };
}

interface Means {
  readonly door: DoorParts;
  readonly services: ReadonlyMap<ModelVendor, Service>;
  readonly bodies: Intake;
}

/** Null: the lane has its answer, or is gone. */
async function replyTo(means: Means, served: Served): Promise<Reply | null> {
  const { door, services, bodies } = means;
  const { incoming, path } = served;
  const isAnthropic = incoming.headers['anthropic-version'] !== undefined;
  const route = routeOf(incoming.method ?? 'GET', path, isAnthropic);
  // A CLI that looks whether somebody is there.
  if (route.kind === 'head') return { status: 200, body: '' };
  const vendor = route.kind === 'free' ? route.vendor : vendorOf[route.api];
  const service = route.kind === 'none' ? undefined : services.get(vendor);
  if (route.kind === 'none' || service === undefined) {
    return refused(door, route.api, { reason: 'not_allowed', detail: '' });
  }
  const came = await bodies.read(incoming);
  if (came.how === 'left') return null;
  if (came.how === 'too_large') {
    return refused(door, route.api, { reason: 'body_too_large', detail: '' });
  }
  try {
    const passing = { route, service, served, outbound: outboundOf(served, service, came) };
    return await (route.kind === 'free' ? free(door, passing) : model(door, { ...passing, route }));
  } finally {
    bodies.release(came.body);
  }
}

function outboundOf(
  { incoming, path, query }: Served,
  service: Service,
  { body }: Extract<Inbound, { how: 'read' }>,
): Outbound {
  const method = incoming.method ?? 'GET';
  const hasBody = method === 'POST';
  const { credential, vendor } = service;
  return {
    method,
    path: `${path}${allowedQuery(query, credential === null ? ['key'] : [])}`,
    headers: towardsService({
      inbound: incoming.headers,
      credential: credential === null ? null : credentialHeader(vendor, credential),
      bodyBytes: hasBody ? body.byteLength : null,
    }),
    body: hasBody ? body : null,
  };
}

interface Passing {
  readonly route: Extract<Route, { kind: 'model' | 'free' }>;
  readonly service: Service;
  readonly served: Served;
  readonly outbound: Outbound;
}

async function model(
  door: DoorParts,
  passing: Passing & { readonly route: Extract<Route, { kind: 'model' }> },
): Promise<Reply | null> {
  const { route, service, outbound, served } = passing;
  const { api, model: named } = route;
  const encoding = served.incoming.headers['content-encoding'];
  const at = { api, path: served.path, model: named, encoding };
  const asked = askedIn(outbound.body ?? Buffer.alloc(0), at);
  if (asked === null) return refused(door, api, { reason: 'unreadable_body', detail: '' });
  return modelCall(door, { api, asked, service, outbound, lane: served.lane });
}

/** Lists and counts: free of charge, so neither metered nor held by the budget. */
async function free(
  door: DoorParts,
  { route, service, outbound, served }: Passing,
): Promise<Reply | null> {
  const { api } = route;
  const closed = refusedNow(door, api, null);
  if (closed !== null) return closed;
  const came = await exchange({
    service,
    outbound,
    lane: served.lane,
    tee: null,
    firstByteMs: door.spans.firstByteStreamedMs,
    idleMs: door.spans.idleMs,
    onHeaders: () => undefined,
    onByte: () => undefined,
  });
  if (came.sent || came.how === 'left') return null;
  if (came.how === 'error') return freeFailed(door, api, came);
  return gatewayError(api, came.how === 'hung' ? 504 : 502);
}

/** What the service says about the key stays here. */
function freeFailed(
  door: DoorParts,
  api: ModelApi,
  { status }: { readonly status: number },
): Reply {
  if (status === 401 || status === 403) {
    return refused(door, api, { reason: 'credential_refused', detail: String(status) });
  }
  const isMissing = status >= 400 && status < 500;
  return isMissing ? refusal(api, 'not_allowed', String(status)) : gatewayError(api, 502);
}
